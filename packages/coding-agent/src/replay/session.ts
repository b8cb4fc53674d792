import { createRedactor } from "@orphus/agent-trace/redact";
import type { AgentSessionOptions } from "../agent/create.ts";
import type { AgentSession } from "../agent/session.ts";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { uuidV4 } from "../ids.ts";
import { recordedProvider } from "../provider/catalog.ts";
import type { ModelProvider } from "../provider/types.ts";
import { secretValues } from "../record/secrets.ts";
import { openSessionLog } from "../session/log.ts";
import { readScript, type SessionScript, type Step } from "./script.ts";
import { createRecordedTransport, type RecordedTransport, type Stopped } from "./transport.ts";
import { replayWorld } from "./world.ts";

/** How a replay went. */
export interface ReplayReport {
  session: string;
  tools: "record" | "live";
  /** Requests on record. */
  requests: number;
  /** Of those, how many were asked again in the same words before the replay ended. */
  matched: number;
  outcome: "same" | "diverged" | "not_replayable";
  /** One sentence. */
  summary: string;
  stopped?: Stopped;
  /** Where requests differ in places that are masked on record, which is no divergence. */
  masked: { requestId: string; paths: string[] }[];
}

/** What the replay gives to whoever composes the session. */
export type ReplayComposition = Required<
  Pick<AgentSessionOptions, "session" | "transport" | "approver" | "newRequestId" | "settings">
> &
  Pick<AgentSessionOptions, "recordedResult">;

export interface ReplaySessionOptions {
  /** Absolute path of the session file. */
  path: string;
  tools: "record" | "live";
  /** The real world. */
  capabilities: HarnessCapabilities;
  /** Composes the session as the program would, in the world it is given. */
  compose(world: HarnessCapabilities, own: ReplayComposition): Promise<AgentSession>;
}

const modelOf = async (step: Extract<Step, { do: "model" }>): Promise<ModelProvider> => {
  const { model, provider, modelId } = step;
  if (model === undefined)
    throw new Error(
      `The session does not describe its model ${provider}/${modelId}; an older orphus wrote it.`,
    );
  const found = await recordedProvider(model);
  if (found === undefined)
    throw new Error(`The model ${provider}/${modelId} speaks ${model.api}, which cannot be replayed.`);
  return found;
};

/** Does what the user did. */
const perform = async (session: AgentSession, step: Step): Promise<void> => {
  switch (step.do) {
    case "model":
      return session.setModel({ model: await modelOf(step) });
    case "think":
      return session.setModel({ thinkingLevel: step.level });
    case "compact":
      await session.compact().catch(() => false);
      return undefined;
    case "prompt":
      await session.prompt(step.text);
      return undefined;
    default:
      return step satisfies never;
  }
};

const summaryOf = (
  { matched, stopped }: RecordedTransport,
  total: number,
): Pick<ReplayReport, "outcome" | "summary"> => {
  if (total === 0) return { outcome: "not_replayable", summary: "not replayable: no request is on record" };
  if (stopped === undefined)
    return matched === total
      ? { outcome: "same", summary: `all ${total} requests are the same` }
      : { outcome: "diverged", summary: `the replay sent ${matched} of ${total} requests and was done` };
  if (stopped.kind === "not_replayable")
    return {
      outcome: "not_replayable",
      summary: `not replayable from turn ${stopped.turn}: ${stopped.reason}`,
    };
  if (stopped.kind === "extra_request")
    return {
      outcome: "diverged",
      summary: `the replay sent a request in turn ${stopped.turn} that is not on record`,
    };
  return {
    outcome: "diverged",
    summary: `the request of turn ${stopped.turn}, attempt ${stopped.attempt} differs from the one on record`,
  };
};

/** Denies what was denied when the session ran, and nothing else. */
const approverOf =
  ({ audits }: SessionScript): ReplayComposition["approver"] =>
  async ({ toolCallId }) => {
    const audit = audits.get(toolCallId);
    if (audit?.decider !== "approval") return { approved: true };
    return { approved: false, ...(audit.reason === undefined ? {} : { reason: audit.reason }) };
  };

/**
 * Runs a recorded session again, offline: what the user said is said again, the model's answers come from the record, and
 * each request is compared with the one that was sent. Ends at the first that differs.
 */
export const replaySession = async ({
  path,
  tools,
  capabilities,
  compose,
}: ReplaySessionOptions): Promise<ReplayReport> => {
  const { fs, process } = capabilities;
  const world = { ...capabilities, random: process.randomBytes };
  const log = await openSessionLog({ ...world, keepBodies: true }, path);
  const script = readScript(log.branch());
  const redactor = createRedactor({ values: secretValues(process.env) });
  const running: { session?: AgentSession } = {};
  const recorded = createRecordedTransport({
    exchanges: script.exchanges,
    path,
    fs,
    mask: (text) => redactor.redact(text),
    onExchange: ({ heardAfter }) => heardAfter.forEach((text) => running.session?.steer(text)),
    onStop: () => running.session?.abort("the replay has ended"),
  });
  const ids = script.exchanges.map(({ request }) => request.requestId);
  const session = await compose(replayWorld(capabilities, log.header.cwd, tools === "live"), {
    session: { kind: "memory" },
    // What is tried again is tried at once.
    settings: { retry: { baseDelayMs: 0 } },
    transport: recorded.transport,
    approver: approverOf(script),
    newRequestId: () => ids.shift() ?? uuidV4(process.randomBytes),
    ...(tools === "live"
      ? {}
      : {
          recordedResult: (toolCallId) => {
            const result = script.results.get(toolCallId);
            // The user ended the run there.
            if (result?.outcome === "aborted") running.session?.abort("aborted on record");
            return result;
          },
        }),
  });
  running.session = session;
  for (const step of script.steps) {
    if (recorded.stopped !== undefined) break;
    await perform(session, step);
  }
  await session.dispose();
  const { stopped } = recorded;
  return {
    session: log.header.id,
    tools,
    requests: script.exchanges.length,
    matched: recorded.matched,
    ...summaryOf(recorded, script.exchanges.length),
    ...(stopped === undefined ? {} : { stopped }),
    masked: recorded.masked,
  };
};
