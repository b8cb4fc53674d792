import type { MarkItem, ToolCallItem, UsageItem } from "../item.ts";
import { present } from "../present.ts";
import type { SessionRecord } from "../totals/fold.ts";
import { spanIdOf, traceIdOf } from "./ids.ts";

/** The version of OpenTelemetry's semantic conventions that attribute names follow. */
export const GEN_AI_CONVENTIONS = "1.37.0";

export type AttributeValue = string | number | boolean | string[];
export type Attributes = Record<string, AttributeValue>;

export interface SpanEvent {
  name: string;
  /** Milliseconds since 1970. */
  at: number;
  attributes: Attributes;
}

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: "internal" | "client";
  /** Milliseconds since 1970; 0 when the record has no time at all. */
  startAt: number;
  endAt: number;
  attributes: Attributes;
  error?: string;
  events: SpanEvent[];
}

export interface Trace {
  traceId: string;
  sessionId: string;
  spans: Span[];
}

/**
 * The spans of one session and its sub-agents: session → user turns → responses and tool calls; a sub-agent's session
 * hangs under the call that started it. Ids come from the record's keys: the same record gives the same trace.
 * `family` is the session first, then its sub-agents.
 */
export const buildTrace = (family: readonly SessionRecord[]): Trace | undefined => {
  const [root] = family;
  if (root?.agent === undefined) return undefined;
  const traceId = traceIdOf(root.agent, root.sessionId);
  const ids = new Set(family.map(({ sessionId }) => sessionId));
  const spans = family.flatMap((record) => sessionSpans(record, traceId, ids));
  return { traceId, sessionId: root.sessionId, spans };
};

const sessionSpans = (record: SessionRecord, traceId: string, family: ReadonlySet<string>): Span[] => {
  const { session, sessionId } = record;
  const id = (what: string, key: string): string => spanIdOf(traceId, sessionId, what, key);
  const turns = turnsOf(record);
  const inner = [...turns].flatMap(([number, turn]) => turnSpans(record, number, turn, traceId, id));
  const times = inner.flatMap(({ startAt, endAt }) => (startAt === 0 ? [] : [startAt, endAt]));
  const { parentSessionId, parentCallId } = session ?? {};
  const parentSpanId =
    parentSessionId !== undefined && family.has(parentSessionId)
      ? spanIdOf(
          traceId,
          parentSessionId,
          parentCallId === undefined ? "session" : "tool_call",
          parentCallId ?? "-",
        )
      : undefined;
  return [
    {
      traceId,
      spanId: id("session", "-"),
      ...present({ parentSpanId }),
      name: `invoke_agent ${record.agent ?? "unknown"}`,
      kind: "internal",
      startAt: millis(session?.startedAt) ?? minOf(times),
      endAt: millis(session?.endedAt) ?? maxOf(times),
      attributes: attributes({
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": record.agent,
        "gen_ai.conversation.id": sessionId,
        "agent.version": session?.agentVersion,
        "agent.cwd": session?.cwd,
      }),
      events: [],
    },
    ...inner,
  ];
};

interface Turn {
  message?: MarkItem;
  calls: ToolCallItem[];
  usages: UsageItem[];
  marks: MarkItem[];
}

const turnsOf = (record: SessionRecord): Map<number, Turn> => {
  const turns = new Map<number, Turn>();
  const of = (number: number | undefined): Turn => {
    const turn = turns.get(number ?? 0) ?? { calls: [], usages: [], marks: [] };
    turns.set(number ?? 0, turn);
    return turn;
  };
  for (const mark of record.marks.values()) {
    if (mark.kind === "user_message") of(mark.turn).message ??= mark;
    else of(mark.turn).marks.push(mark);
  }
  for (const call of record.calls.values()) of(call.turn).calls.push(call);
  for (const usage of record.usages.values())
    if (usage.covers === "response") of(usage.turn).usages.push(usage);
  return new Map([...turns].sort(([a], [b]) => a - b));
};

type IdOf = (what: string, key: string) => string;

const turnSpans = (record: SessionRecord, number: number, turn: Turn, traceId: string, id: IdOf): Span[] => {
  const parent = id("turn", `${number}`);
  const children = [
    ...turn.usages.map((usage) => usageSpan(record, usage, traceId, parent, id)),
    ...turn.calls.map((call) => callSpan(record, call, traceId, parent, id)),
  ].sort((a, b) => a.startAt - b.startAt);
  const times = [
    ...children.flatMap(({ startAt, endAt }) => (startAt === 0 ? [] : [startAt, endAt])),
    ...[turn.message, ...turn.marks].flatMap((mark) => millis(mark?.at) ?? []),
  ];
  const failure = turn.marks.findLast(({ kind }) => kind === "api_error");
  const span: Span = {
    traceId,
    spanId: parent,
    parentSpanId: id("session", "-"),
    name: "turn",
    kind: "internal",
    startAt: millis(turn.message?.at) ?? minOf(times),
    endAt: maxOf(times),
    attributes: attributes({
      "gen_ai.conversation.id": record.sessionId,
      "agent.turn": number,
      "agent.message": turn.message?.note,
    }),
    ...(failure === undefined ? {} : { error: failure.note ?? failure.errorKind ?? "error" }),
    events: turn.marks.map((mark) => markEvent(mark, minOf(times))),
  };
  return [span, ...children];
};

const usageSpan = (
  record: SessionRecord,
  usage: UsageItem,
  traceId: string,
  parentSpanId: string,
  id: IdOf,
): Span => {
  const at = millis(usage.at) ?? 0;
  const cached = usage.cacheRead ?? 0;
  const written = (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0);
  return {
    traceId,
    spanId: id("usage", usage.key),
    parentSpanId,
    name: `chat ${usage.model ?? "unknown"}`,
    kind: "client",
    startAt: at,
    endAt: at,
    attributes: attributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": usage.provider,
      "gen_ai.response.model": usage.model,
      "gen_ai.response.id": usage.key,
      "gen_ai.conversation.id": record.sessionId,
      // The conventions count cached tokens in.
      "gen_ai.usage.input_tokens": usage.input === undefined ? undefined : usage.input + cached + written,
      "gen_ai.usage.output_tokens": usage.output,
      "agent.usage.cache_read_tokens": usage.cacheRead,
      "agent.usage.exact": usage.exact,
      "agent.cost_nano_usd": usage.costNanoUsd,
    }),
    events: [],
  };
};

const callSpan = (
  record: SessionRecord,
  call: ToolCallItem,
  traceId: string,
  parentSpanId: string,
  id: IdOf,
): Span => {
  const at = millis(call.at) ?? 0;
  const failed = call.outcome === "ok" ? undefined : (call.errorKind ?? call.outcome);
  return {
    traceId,
    spanId: id("tool_call", call.key),
    parentSpanId,
    name: `execute_tool ${call.tool}`,
    kind: "internal",
    startAt: at,
    endAt: at + (call.durationMs ?? 0),
    attributes: attributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call.tool,
      "gen_ai.tool.call.id": call.key,
      "gen_ai.conversation.id": record.sessionId,
      "error.type": failed,
      "agent.tool.action": call.action,
      "agent.tool.summary": call.summary,
      "agent.tool.targets": call.targets.length === 0 ? undefined : call.targets.map(({ path }) => path),
      "agent.tool.outside_count": call.outside.length === 0 ? undefined : call.outside.length,
      "agent.tool.result_bytes": call.resultBytes,
    }),
    ...(failed === undefined ? {} : { error: failed }),
    events: [],
  };
};

const markEvent = (mark: MarkItem, otherwise: number): SpanEvent => ({
  name: mark.kind === "api_error" ? "exception" : mark.kind,
  at: millis(mark.at) ?? otherwise,
  attributes: attributes({
    "exception.message": mark.kind === "api_error" ? mark.note : undefined,
    "error.type": mark.errorKind,
    "agent.note": mark.kind === "api_error" ? undefined : mark.note,
    "http.response.status_code": mark.status,
  }),
});

const attributes = (values: Record<string, AttributeValue | undefined>): Attributes => {
  const known: Attributes = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) known[name] = value;
  return known;
};

const millis = (at: string | undefined): number | undefined =>
  at === undefined ? undefined : Date.parse(at);
const minOf = (times: readonly number[]): number =>
  times.reduce((least, time) => Math.min(least, time), times[0] ?? 0);
const maxOf = (times: readonly number[]): number => times.reduce((most, time) => Math.max(most, time), 0);
