import type { MarkItem, ToolCallItem, UsageItem } from "../item.ts";
import { present } from "../present.ts";
import { addTokens, billed } from "../totals/billed.ts";
import type { SessionRecord } from "../totals/fold.ts";
import type { AtifMetrics, AtifStep, AtifTrajectory } from "./format.ts";

export type { AtifTrajectory } from "./format.ts";

/** The version of the Agent Trajectory Interchange Format that is written. */
export const ATIF_VERSION = "ATIF-v1.4";

const notes =
  "Written from a record that keeps neither the agent's words nor the arguments and results of its calls: " +
  "messages of agent steps are empty but for the result's, arguments are empty, and what is known of each call " +
  "stands in the step's extra.calls.";

/**
 * A session as an ATIF trajectory: each user message, model response (with its calls and their outcomes) and mark is a
 * step, in order. A sub-agent's session is a trajectory of its own, which the call that started it refers to.
 */
export const toAtif = (record: SessionRecord): AtifTrajectory => {
  const { session } = record;
  const usages = billed(record.usages.values());
  const steps = stepsOf(record);
  const last = steps.findLast(({ source }) => source === "agent");
  const said = [...record.results.values()].at(-1)?.text;
  if (last !== undefined && said !== undefined) last.message = said;
  return {
    schema_version: ATIF_VERSION,
    session_id: record.sessionId,
    agent: {
      name: record.agent ?? "unknown",
      version: session?.agentVersion ?? "unknown",
      ...present({ model_name: session?.models?.[0]?.model }),
    },
    steps,
    notes,
    final_metrics: { ...totalsOf(usages), total_steps: steps.length },
    ...extraOf(record),
  };
};

const extraOf = ({ session }: SessionRecord): Pick<AtifTrajectory, "extra"> => {
  const { title, cwd, gitBranch, parentSessionId, parentCallId } = session ?? {};
  const extra = present({
    title,
    cwd,
    git_branch: gitBranch,
    parent_session_id: parentSessionId,
    parent_tool_call_id: parentCallId,
  });
  return Object.keys(extra).length === 0 ? {} : { extra };
};

/** One response of the model, as far as calls and usage tell of it. */
interface Response {
  seq: number;
  at: string | undefined;
  usage: UsageItem | undefined;
  calls: ToolCallItem[];
}

const stepsOf = (record: SessionRecord): AtifStep[] => {
  const responses = new Map<string, Response>();
  const add = (key: string, seq: number, at: string | undefined): Response => {
    const known = responses.get(key) ?? { seq, at, usage: undefined, calls: [] };
    known.seq = Math.min(known.seq, seq);
    known.at ??= at;
    responses.set(key, known);
    return known;
  };
  for (const usage of billed(record.usages.values())) add(usage.key, usage.seq, usage.at).usage = usage;
  for (const call of record.calls.values())
    add(call.messageId ?? `call ${call.key}`, call.seq, call.at).calls.push(call);
  const marks = [...record.marks.values()].filter(({ kind }) => kind !== "novelty");
  const unnumbered = [
    ...marks.map((mark) => ({ seq: mark.seq, at: mark.at, step: markStep(mark) })),
    ...[...responses.values()].map((response) => ({
      seq: response.seq,
      at: response.at,
      step: responseStep(response),
    })),
  ];
  return unnumbered
    .sort((a, b) =>
      a.at !== undefined && b.at !== undefined && a.at !== b.at ? (a.at < b.at ? -1 : 1) : a.seq - b.seq,
    )
    .map(({ at, step }, index) => ({ step_id: index + 1, ...present({ timestamp: at }), ...step }));
};

type Unnumbered = Omit<AtifStep, "step_id" | "timestamp">;

const markStep = ({ kind, note, errorClass, errorKind }: MarkItem): Unnumbered =>
  kind === "user_message"
    ? { source: "user", message: note ?? "" }
    : {
        source: "system",
        message: note ?? kind,
        extra: { kind, ...present({ error_class: errorClass, error_kind: errorKind }) },
      };

const responseStep = ({ usage, calls }: Response): Unnumbered => {
  const model = usage?.model ?? calls[0]?.model;
  const step: Unnumbered = { source: "agent", message: "", ...present({ model_name: model }) };
  if (usage !== undefined) step.metrics = metricsOf(usage);
  if (calls.length === 0) return step;
  step.tool_calls = calls.map(({ key, tool }) => ({ tool_call_id: key, function_name: tool, arguments: {} }));
  step.observation = {
    results: calls.map(({ key, outcome, errorKind, childSessionId }) => ({
      source_call_id: key,
      ...(outcome === "ok" ? {} : { content: errorKind ?? outcome }),
      ...(childSessionId === undefined ? {} : { subagent_trajectory_ref: [{ session_id: childSessionId }] }),
    })),
  };
  step.extra = { calls: calls.map(callExtra) };
  return step;
};

const callExtra = (call: ToolCallItem): Record<string, unknown> => ({
  tool_call_id: call.key,
  action: call.action,
  summary: call.summary,
  outcome: call.outcome,
  targets: call.targets.map(({ path }) => path),
  ...present({
    error_class: call.errorClass,
    exit_code: call.exitCode,
    duration_ms: call.durationMs,
    result_bytes: call.resultBytes,
    input_digest: call.inputDigest,
  }),
});

/** ATIF's prompt tokens include what came from and went to the cache. */
const metricsOf = (usage: UsageItem): AtifMetrics => {
  const { cacheWrite5m, cacheWrite1h, reasoning, exact } = usage;
  const extra = present({
    cache_write_5m_tokens: cacheWrite5m,
    cache_write_1h_tokens: cacheWrite1h,
    reasoning_tokens: reasoning,
    placeholder: exact ? undefined : true,
  });
  return {
    ...present({
      prompt_tokens: promptOf(usage),
      completion_tokens: usage.output,
      cached_tokens: usage.cacheRead,
      cost_usd: usage.costNanoUsd === undefined ? undefined : usage.costNanoUsd / 1e9,
    }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
};

const promptOf = ({
  input,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h,
}: Partial<UsageItem>): number | undefined => {
  const parts = [input, cacheRead, cacheWrite5m, cacheWrite1h].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0);
};

const totalsOf = (usages: readonly UsageItem[]): AtifTrajectory["final_metrics"] => {
  const tokens = addTokens(usages);
  const costs = usages.flatMap(({ costNanoUsd }) => costNanoUsd ?? []);
  const whole = costs.length > 0 && costs.length === usages.length;
  return present({
    total_prompt_tokens: promptOf(tokens),
    total_completion_tokens: tokens.output,
    total_cached_tokens: tokens.cacheRead,
    total_cost_usd: whole ? costs.reduce((sum, cost) => sum + cost, 0) / 1e9 : undefined,
  });
};
