import { Buffer } from "node:buffer";
import { CallBook } from "../../calls.ts";
import {
  classifyCall,
  classifyError,
  type CallClass,
  type CallContext,
  type ErrorVerdict,
} from "../../classify/index.ts";
import type { Outcome, Timestamp } from "../../item.ts";
import type { SessionItems, SourceItems } from "../../items.ts";
import { number, object, string, strings, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import { callInput, callOutput, type CallOutput } from "./output.ts";
import { codexTools } from "./tools.ts";

/** What events tell of a call before its output comes. */
interface CallReport {
  exitCode?: number;
  durationMs?: number;
  /** The agent's word: `failed`, `declined`, … */
  status?: string;
}

export interface CallSource {
  session: SessionItems;
  cwd: string | undefined;
  home: string | undefined;
  model: string | undefined;
  provider: string | undefined;
}

/** Most ids of answered calls that are remembered, to know late events as repeats. */
const endedLimit = 200;
const reportLimit = 200;

/** The calls of one thread: from the model's own records, and from events for what no record of the model holds. */
export class CodexCalls {
  readonly #book: CallBook;
  readonly #reports = new Map<string, CallReport>();
  readonly #ended: Set<string>;
  /** Open calls of which it is not known yet which response asked for them. */
  readonly #unasked: Set<string>;

  constructor(items: SourceItems, state?: JsonValue) {
    const saved = object(state);
    this.#book = new CallBook(items, saved?.["book"]);
    this.#ended = new Set(strings(saved?.["ended"]) ?? []);
    this.#unasked = new Set(strings(saved?.["unasked"]) ?? []);
    for (const [id, report] of Object.entries(object(saved?.["reports"]) ?? {})) {
      const fields = object(report);
      const { exitCode, durationMs, status } = { ...fields };
      this.#reports.set(
        id,
        present({ exitCode: number(exitCode), durationMs: number(durationMs), status: string(status) }),
      );
    }
  }

  isOpen(source: CallSource, callId: string): boolean {
    return this.#book.has(source.session.id, callId);
  }

  isKnown(source: CallSource, callId: string): boolean {
    return this.#ended.has(callId) || this.isOpen(source, callId);
  }

  start(
    source: CallSource,
    call: { callId: string; tool: string; input: JsonValue | undefined },
    at: Timestamp | undefined,
    sink: ReadSink,
  ): void {
    if (this.isKnown(source, call.callId)) return;
    const { session, cwd, home, model, provider } = source;
    if (this.#unasked.size < reportLimit) this.#unasked.add(call.callId);
    const context = { tools: codexTools, cwd, home };
    const input = callInput(call.input);
    const named = withPatch(classifyCall({ tool: call.tool, input }, context), input, context);
    this.#book.start(
      { callId: call.callId, sessionId: session.id, tool: call.tool, at, class: named, model, provider },
      sink,
    );
  }

  /** An event's word on a call; kept until the output comes. */
  report(callId: string, report: CallReport): void {
    if (this.#ended.has(callId)) return;
    this.#reports.set(callId, { ...this.#reports.get(callId), ...report });
    if (this.#reports.size > reportLimit) this.#forgetOldest(this.#reports.keys(), this.#reports);
  }

  /** The response with this key has ended: the calls since the last one are its. */
  asked(source: CallSource, messageId: string): void {
    for (const callId of this.#unasked) this.#book.amend(source.session.id, callId, { messageId });
    this.#unasked.clear();
  }

  child(source: CallSource, callId: string, childSessionId: string): void {
    this.#book.amend(source.session.id, callId, { childSessionId });
  }

  end(
    source: CallSource,
    callId: string,
    output: JsonValue | undefined,
    at: Timestamp | undefined,
    sink: ReadSink,
  ): void {
    const report = this.#reports.get(callId) ?? {};
    this.#reports.delete(callId);
    this.#unasked.delete(callId);
    this.#ended.add(callId);
    if (this.#ended.size > endedLimit) this.#forgetOldest(this.#ended.keys(), this.#ended);
    const read = callOutput(output);
    const exitCode = read.exitCode ?? report.exitCode;
    const error = failure(read, exitCode, report.status);
    const outcome = outcomeOf(error);
    const resultBytes = Buffer.byteLength(read.text);
    const { durationMs } = report;
    this.#book.end(
      source.session.id,
      callId,
      { outcome, at, error, exitCode, resultBytes, durationMs },
      sink,
    );
  }

  #forgetOldest(keys: Iterator<string>, from: { delete(key: string): boolean }): void {
    const oldest = keys.next();
    if (oldest.done !== true) from.delete(oldest.value);
  }

  finish(sink: ReadSink): void {
    this.#book.finish(sink);
  }

  state(): JsonValue {
    return {
      book: this.#book.state(),
      ended: [...this.#ended],
      unasked: [...this.#unasked],
      reports: Object.fromEntries(
        [...this.#reports].map(([id, report]): [string, JsonObject] => [id, { ...report }]),
      ),
    };
  }
}

/** A patch may be applied by a shell command (`apply_patch <<'EOF'`): then the command is an edit of the patch's files. */
const withPatch = (named: CallClass, input: JsonValue | undefined, context: CallContext): CallClass => {
  const fields = object(input);
  const command =
    string(fields?.["cmd"]) ?? string(fields?.["command"]) ?? strings(fields?.["command"])?.at(-1);
  if (command === undefined || !/^\s*apply_patch\b/.test(command)) return named;
  const { action, targets, outside } = classifyCall({ tool: "apply_patch", input: command }, context);
  return { ...named, action, targets, outside };
};

const outcomeOf = (error: ErrorVerdict | undefined): Outcome =>
  error === undefined ? "ok" : error.errorKind === "denied" ? "denied" : "error";

/** The failure that an output and the events before it tell of; undefined when the call went well. */
const failure = (
  read: CallOutput,
  exitCode: number | undefined,
  status: string | undefined,
): ErrorVerdict | undefined => {
  const denied = read.denied === true || status === "declined";
  const nonzero = exitCode !== undefined && exitCode !== 0;
  const failed = read.failed === true || status === "failed";
  if (!denied && !nonzero && !failed && read.timedOut !== true && read.interrupted !== true) return undefined;
  if (read.timedOut === true) return { errorClass: "timeout", errorKind: "timed_out" };
  return classifyError(read.text, { about: "tool", exitCode, denied, interrupted: read.interrupted });
};
