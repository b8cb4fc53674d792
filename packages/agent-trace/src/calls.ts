import type { CallClass, ErrorVerdict } from "./classify/index.ts";
import type { Outcome, OutsideTouch, RequestRef, Target, Timestamp, ToolCallItem } from "./item.ts";
import type { SourceItems } from "./items.ts";
import { object, type JsonObject } from "./jsonline.ts";
import { present } from "./present.ts";
import type { JsonValue, ReadSink } from "./reader.ts";
import { between } from "./time.ts";

/** A call as its agent announced it. */
export interface CallStart {
  callId: string;
  sessionId: string;
  tool: string;
  at?: Timestamp | undefined;
  class: CallClass;
  model?: string | undefined;
  provider?: string | undefined;
  /** The response that asked for it: the `key` of its usage. */
  messageId?: string | undefined;
  /** The provider request that the response answered, where the agent keeps it on record. */
  request?: RequestRef | undefined;
}

/** What became of a call. */
export interface CallEnd {
  outcome: Outcome;
  at?: Timestamp | undefined;
  error?: ErrorVerdict | undefined;
  exitCode?: number | undefined;
  resultBytes?: number | undefined;
  /** Milliseconds, where the source measured them itself; else the time from call to result. */
  durationMs?: number | undefined;
  childSessionId?: string | undefined;
}

/** Calls that wait for their results. Beyond this many the oldest is given out as unanswered. */
const openLimit = 1000;

type OpenCall = Omit<ToolCallItem, "outcome" | "rev" | "v">;

/**
 * The calls of one source that wait for a result. A call is given out when its result is known, or as `unanswered` when
 * the source has ended; a result that still comes after that is its next revision.
 */
export class CallBook {
  readonly #items: SourceItems;
  /** By session and call id, in order of starts. */
  readonly #open = new Map<string, { call: OpenCall; given: boolean }>();

  constructor(items: SourceItems, state?: JsonValue) {
    this.#items = items;
    for (const saved of Array.isArray(state) ? state : []) {
      const entry = object(saved);
      const call = object(entry?.["call"]);
      if (call === undefined) continue;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by state() below; never comes from an agent
      const open = call as unknown as OpenCall;
      this.#open.set(id(open.sessionId, open.key), { call: open, given: entry?.["given"] === true });
    }
  }

  /** Whether the call waits for its result. */
  has(sessionId: string, callId: string): boolean {
    return this.#open.has(id(sessionId, callId));
  }

  /** The session in which a call of this id waits, when there is one. */
  sessionOf(callId: string): string | undefined {
    for (const { call } of this.#open.values()) if (call.key === callId) return call.sessionId;
    return undefined;
  }

  start(start: CallStart, sink: ReadSink): void {
    const session = this.#items.session(start.sessionId);
    session.touch(start.at);
    const identity = id(start.sessionId, start.callId);
    if (this.#open.has(identity)) return;
    const { action, targets, outside, summary, inputDigest } = start.class;
    const call: OpenCall = {
      sessionId: start.sessionId,
      key: start.callId,
      seq: this.#items.nextSeq(),
      turn: session.turn,
      type: "tool_call",
      tool: start.tool,
      action,
      targets,
      outside,
      summary,
      ...present({
        at: start.at,
        inputDigest,
        model: start.model,
        provider: start.provider,
        messageId: start.messageId,
        request: start.request,
      }),
    };
    this.#open.set(identity, { call, given: false });
    sink.live?.({
      v: 1,
      sessionId: call.sessionId,
      key: call.key,
      rev: 0,
      seq: call.seq,
      turn: session.turn,
      type: "tool_started",
      tool: call.tool,
      action,
      summary,
      ...present({ at: start.at }),
    });
    if (this.#open.size > openLimit) this.#giveUpOldest(sink);
  }

  /** Adds what became known of an open call before its result. */
  amend(sessionId: string, callId: string, fields: { childSessionId?: string; messageId?: string }): void {
    const entry = this.#open.get(id(sessionId, callId));
    if (entry !== undefined) entry.call = { ...entry.call, ...fields };
  }

  /** Returns the call's item, or undefined when no such call is open. */
  end(sessionId: string, callId: string, end: CallEnd, sink: ReadSink): ToolCallItem | undefined {
    const identity = id(sessionId, callId);
    const entry = this.#open.get(identity);
    if (entry === undefined) return undefined;
    this.#open.delete(identity);
    this.#items.session(sessionId).touch(end.at);
    return this.#give(entry.call, end, sink);
  }

  /** The source has ended. The calls stay open for results that come all the same. */
  finish(sink: ReadSink): void {
    for (const entry of this.#open.values()) {
      if (!entry.given) this.#give(entry.call, unanswered, sink);
      entry.given = true;
    }
  }

  #giveUpOldest(sink: ReadSink): void {
    const [oldest] = this.#open;
    if (oldest === undefined) return;
    const [identity, entry] = oldest;
    this.#open.delete(identity);
    if (!entry.given) this.#give(entry.call, unanswered, sink);
  }

  #give(call: OpenCall, end: CallEnd, sink: ReadSink): ToolCallItem {
    const item: ToolCallItem = {
      v: 1,
      ...call,
      rev: this.#items.nextRev(call.sessionId, "tool_call", call.key),
      outcome: end.outcome,
      ...present({
        errorClass: end.error?.errorClass,
        errorKind: end.error?.errorKind,
        exitCode: end.exitCode,
        durationMs: end.durationMs ?? between(call.at, end.at),
        resultBytes: end.resultBytes,
      }),
      ...present({ childSessionId: end.childSessionId ?? call.childSessionId }),
    };
    sink.item(item);
    return item;
  }

  state(): JsonValue {
    return [...this.#open.values()].map(({ call, given }): JsonObject => ({ call: callState(call), given }));
  }
}

const unanswered: CallEnd = {
  outcome: "unanswered",
  error: { errorClass: "other", errorKind: "unanswered" },
};

const id = (sessionId: string, callId: string): string => `${callId} ${sessionId}`;

const callState = ({ targets, outside, request, ...scalars }: OpenCall): JsonObject => ({
  ...scalars,
  targets: targets.map((target: Target): JsonObject => ({ ...target })),
  outside: outside.map((touch: OutsideTouch): JsonObject => ({ ...touch })),
  ...(request === undefined ? {} : { request: { ...request } }),
});
