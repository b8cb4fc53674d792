import { Buffer } from "node:buffer";
import { cutBytes, plainText, RESULT_TEXT_BYTES } from "../../bounded-text.ts";
import { CallBook } from "../../calls.ts";
import { classifyCall, classifyError, type ErrorVerdict } from "../../classify/index.ts";
import type { AgentName, Timestamp } from "../../item.ts";
import { SourceItems, type SessionItems } from "../../items.ts";
import {
  at as path,
  boolean,
  count,
  number,
  object,
  objects,
  string,
  text,
  type JsonObject,
} from "../../jsonline.ts";
import { nanoUsd } from "../../money.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReaderOptions, ReadSink } from "../../reader.ts";
import { fromMillis } from "../../time.ts";
import { piTools } from "./tools.ts";

/** A request that failed; whether it is tried again, only what comes next tells. */
interface Failure {
  key: string;
  at?: Timestamp;
  message: string;
  status?: number;
}

/** Most exit codes of running calls that are remembered. */
const exitLimit = 200;

/**
 * The messages of one session. Stream and transcript carry the same message objects, so both are read here. A message's
 * id stands in the transcript alone; what both have are the provider's response id and the message's own time stamp, which
 * a fork copies along: they make the keys.
 */
export class PiMessages {
  readonly items: SourceItems;
  readonly #options: ReaderOptions;
  readonly #calls: CallBook;
  session: SessionItems;
  #failure: Failure | undefined;
  readonly #exits = new Map<string, number>();
  #unkeyed: number;

  constructor(agent: AgentName, sessionId: string, options: ReaderOptions, saved: JsonObject | undefined) {
    this.#options = options;
    this.items = new SourceItems(agent, saved?.["items"]);
    this.#calls = new CallBook(this.items, saved?.["calls"]);
    this.session = this.items.session(string(saved?.["session"]) ?? sessionId);
    const failure = object(saved?.["failure"]);
    if (failure !== undefined) {
      const { key, at, message, status } = failure;
      this.#failure = present({
        key: string(key) ?? "",
        at: string(at),
        message: string(message) ?? "",
        status: number(status),
      });
    }
    for (const [id, code] of Object.entries(object(saved?.["exits"]) ?? {}))
      this.#exits.set(id, Number(code));
    this.#unkeyed = count(saved?.["unkeyed"]) ?? 0;
  }

  /** Reads one finished message. `endedAt`: when it was written, where the source tells. */
  read(message: JsonObject, endedAt: Timestamp | undefined, sink: ReadSink): void {
    const role = string(message["role"]) ?? "?";
    if (role === "user") this.#user(message, endedAt, sink);
    else if (role === "assistant") this.#assistant(message, endedAt, sink);
    else if (role === "toolResult") this.#toolResult(message, endedAt, sink);
    else if (!plainRoles.has(role)) this.session.novelty("kind", `message/${role}`, message, sink);
  }

  /** The exit code that the stream tells beside the result. */
  exit(callId: string, exitCode: number): void {
    if (this.#exits.size < exitLimit) this.#exits.set(callId, exitCode);
  }

  #user(message: JsonObject, endedAt: Timestamp | undefined, sink: ReadSink): void {
    this.settleFailure(sink);
    this.session.beginTurn();
    const at = this.#at(message, endedAt);
    this.session.mark(
      "user_message",
      this.#key(message),
      at,
      { note: contentText(message["content"]) },
      sink,
    );
  }

  #assistant(message: JsonObject, endedAt: Timestamp | undefined, sink: ReadSink): void {
    this.#retried(sink);
    const model = text(message["model"]);
    const provider = text(message["provider"]);
    if (model !== undefined) this.session.learn({ models: [present({ model, provider })] }, sink);
    const key = this.#key(message);
    this.#usage(key, message, sink);
    const took = number(message["durationMs"]) ?? number(message["duration"]);
    const startedAt = number(message["timestamp"]);
    const callsAt =
      startedAt !== undefined && took !== undefined ? fromMillis(startedAt + Math.round(took)) : endedAt;
    for (const part of objects(message["content"])) {
      if (part["type"] === "toolCall")
        this.#start(part, { at: callsAt, model, provider, messageId: key }, sink);
    }
    this.#stop(key, message, this.#at(message, endedAt), sink);
  }

  #start(
    part: JsonObject,
    from: {
      at: Timestamp | undefined;
      model: string | undefined;
      provider: string | undefined;
      messageId: string;
    },
    sink: ReadSink,
  ): void {
    const callId = text(part["id"]);
    const tool = text(part["name"]);
    if (callId === undefined || tool === undefined) return;
    const context = {
      tools: piTools,
      cwd: this.session.facts.cwd ?? this.#options.cwd,
      home: this.#options.home,
    };
    const named = classifyCall({ tool, input: part["arguments"] }, context);
    this.#calls.start({ callId, sessionId: this.session.id, tool, class: named, ...from }, sink);
  }

  #toolResult(message: JsonObject, endedAt: Timestamp | undefined, sink: ReadSink): void {
    const callId = text(message["toolCallId"]);
    if (callId === undefined) return;
    const words = contentText(message["content"]);
    const isError = boolean(message["isError"]) === true;
    const told = number(path(message, "details", "exitCode")) ?? this.#exits.get(callId);
    const exitCode = told ?? (isError ? exitCodeIn(words) : undefined);
    this.#exits.delete(callId);
    const error = isError ? toolError(words, exitCode) : undefined;
    const outcome = error === undefined ? "ok" : error.errorKind === "denied" ? "denied" : "error";
    const wall = number(message["durationMs"]) ?? number(path(message, "details", "wallTimeMs"));
    const durationMs = wall === undefined ? undefined : Math.round(wall);
    const at = sentAt(message) ?? endedAt;
    const resultBytes = Buffer.byteLength(words);
    this.#calls.end(this.session.id, callId, { outcome, at, error, exitCode, durationMs, resultBytes }, sink);
  }

  #usage(key: string, message: JsonObject, sink: ReadSink): void {
    const usage = object(message["usage"]);
    const input = count(usage?.["input"]);
    const output = count(usage?.["output"]);
    const cacheRead = count(usage?.["cacheRead"]);
    const written = count(usage?.["cacheWrite"]);
    if ([input, output, cacheRead, written].every((tokens) => (tokens ?? 0) === 0)) return;
    const longLived = count(usage?.["cacheWrite1h"]);
    const cost = nanoUsd(path(usage, "cost", "total"));
    // For a model without a price it writes 0, which says nothing.
    const costNanoUsd = cost === 0 ? undefined : cost;
    sink.item({
      ...this.session.head("usage", key, this.items.nextSeq(), sentAt(message)),
      type: "usage",
      key,
      ...present({
        model: text(message["model"]),
        provider: text(message["provider"]),
        input,
        output,
        cacheRead,
        cacheWrite5m: written === undefined ? undefined : written - Math.min(longLived ?? 0, written),
        cacheWrite1h: longLived,
        reasoning: count(usage?.["reasoningTokens"]) ?? count(usage?.["reasoning"]),
        costNanoUsd,
      }),
      costSource: costNanoUsd === undefined ? "unknown" : "recorded",
      exact: true,
      covers: "response",
    });
  }

  /** What the answer's end means for the run: only `stopReason` tells, the program's exit code does not. */
  #stop(key: string, message: JsonObject, at: Timestamp | undefined, sink: ReadSink): void {
    const reason = string(message["stopReason"]);
    if (reason === "error") {
      const words = string(message["errorMessage"]) ?? "";
      this.#failure = present({
        key,
        at,
        message: words,
        status: number(message["errorStatus"]) ?? statusIn(words),
      });
    } else if (reason === "aborted") {
      this.session.mark("interrupted", key, at, { note: string(message["errorMessage"]) ?? "aborted" }, sink);
      this.#result(key, at, reason, true, undefined, string(message["errorMessage"]), sink);
    } else if (reason === "stop" || reason === "length") {
      this.#result(key, at, reason, false, undefined, contentText(message["content"]), sink);
    }
  }

  #result(
    key: string,
    at: Timestamp | undefined,
    subtype: string,
    isError: boolean,
    verdict: ErrorVerdict | undefined,
    words: string | undefined,
    sink: ReadSink,
  ): void {
    sink.item({
      ...this.session.head("result", key, this.items.nextSeq(), at),
      type: "result",
      subtype,
      isError,
      ...present({
        text: words === undefined || words === "" ? undefined : cutBytes(plainText(words), RESULT_TEXT_BYTES),
        errorClass: verdict?.errorClass,
        errorKind: verdict?.errorKind,
      }),
      claims: [],
    });
  }

  /** The failed request was followed by another try. */
  #retried(sink: ReadSink): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) this.#failureMark("api_retry", failure, sink);
  }

  /** No other try came: the failure is how the turn ended. */
  settleFailure(sink: ReadSink): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure === undefined) return;
    const verdict = this.#failureMark("api_error", failure, sink);
    this.#result(failure.key, failure.at, "error", true, verdict, failure.message, sink);
  }

  #failureMark(kind: "api_retry" | "api_error", failure: Failure, sink: ReadSink): ErrorVerdict {
    const { key, at, message, status } = failure;
    const verdict = classifyError(message, { about: "model", status, at });
    this.session.mark(kind, key, at, { note: message, ...verdict, ...present({ status }) }, sink);
    return verdict;
  }

  /** The message's own time; it was written a little later, and a session does not begin before its first record. */
  #at(message: JsonObject, endedAt: Timestamp | undefined): Timestamp | undefined {
    const sent = sentAt(message);
    const { startedAt } = this.session.facts;
    return sent === undefined || (startedAt !== undefined && sent < startedAt) ? (endedAt ?? sent) : sent;
  }

  #key(message: JsonObject): string {
    const response = text(message["responseId"]);
    const sent = number(message["timestamp"]);
    // Some OpenAI-compatible servers give every response one id.
    if (sent !== undefined) return `${response ?? "message"}@${sent}`;
    if (response !== undefined) return response;
    this.#unkeyed += 1;
    return `${this.session.id}/message:${this.#unkeyed}`;
  }

  finish(sink: ReadSink): void {
    this.settleFailure(sink);
    this.#calls.finish(sink);
    this.items.finish(sink);
  }

  state(): JsonObject {
    return {
      items: this.items.state(),
      calls: this.#calls.state(),
      session: this.session.id,
      exits: Object.fromEntries(this.#exits),
      unkeyed: this.#unkeyed,
      ...(this.#failure === undefined ? {} : { failure: { ...this.#failure } }),
    };
  }
}

/** Roles that no item is made of: given texts, and commands the user ran, which are no calls of the model. */
const plainRoles = new Set([
  "system",
  "developer",
  "bashExecution",
  "pythonExecution",
  "custom",
  "hookMessage",
  "branchSummary",
  "compactionSummary",
  "fileMention",
]);

/** When the message was sent, as its request began. */
const sentAt = (message: JsonObject): Timestamp | undefined => fromMillis(number(message["timestamp"]));

const contentText = (content: JsonValue | undefined): string =>
  string(content) ??
  objects(content)
    .flatMap((part) => string(part["text"]) ?? [])
    .join("\n");

const exitCodeIn = (words: string): number | undefined => {
  const parts = /\bCommand exited with code (\d+)\s*$/.exec(words);
  return parts === null ? undefined : Number(parts[1]);
};

const toolError = (words: string, exitCode: number | undefined): ErrorVerdict => {
  const interrupted = /\b(?:Operation aborted|Command aborted)\s*$/i.test(words) || undefined;
  return classifyError(words, { about: "tool", exitCode, interrupted });
};

/** Providers' errors begin with the HTTP status (`529 {"type":"error",…}`). */
const statusIn = (words: string): number | undefined => {
  const parts = /^(?:\w+: )?([45]\d\d)\b/.exec(words);
  return parts === null ? undefined : Number(parts[1]);
};
