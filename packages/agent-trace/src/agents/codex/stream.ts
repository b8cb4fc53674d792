import { Buffer } from "node:buffer";
import { cutBytes, plainText, RESULT_TEXT_BYTES } from "../../bounded-text.ts";
import { CallBook } from "../../calls.ts";
import { classifyCall, classifyError } from "../../classify/index.ts";
import { SourceItems, type SessionItems } from "../../items.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import {
  number,
  object,
  objects,
  parseJson,
  string,
  strings,
  text,
  type JsonObject,
} from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, LineReader, ReaderOptions, ReadSink } from "../../reader.ts";
import { shellScript } from "./command-line.ts";
import { isReconnectNotice, messageOf, modelError } from "./errors.ts";
import { codexTools } from "./tools.ts";
import { codexTokens, RunningTotal, tokenCounts } from "./usage.ts";
import { streamFields } from "./fields.ts";

/** Items of the stream that are no call. A `todo_list` stands for any number of the model's calls; it tells none of them. */
const plainItems = new Set(["agent_message", "reasoning", "todo_list", "error"]);

/** The session of a stream whose beginning was cut off. */
const unknownThread = "unknown";

/**
 * `codex exec --json`. It has no times, no model, no working directory and no durable ids: items are numbered anew in each
 * thread and run, so that all it tells stands back behind the rollout.
 */
class ExecHandler implements RecordHandler {
  readonly #items: SourceItems;
  readonly #calls: CallBook;
  readonly #options: ReaderOptions;
  #total: RunningTotal;
  #session: SessionItems | undefined;
  #failure: string | undefined;
  /** What the model said last in this turn: the turn's answer, if nothing follows. */
  #answer: string | undefined;

  constructor(options: ReaderOptions, saved: JsonObject | undefined) {
    this.#options = options;
    this.#items = new SourceItems("codex", saved?.["items"]);
    this.#calls = new CallBook(this.#items, saved?.["calls"]);
    this.#total = new RunningTotal(saved?.["total"]);
    this.#failure = string(saved?.["failure"]);
    this.#answer = string(saved?.["answer"]);
    const id = string(saved?.["session"]);
    this.#session = id === undefined ? undefined : this.#items.session(id);
  }

  record(record: JsonObject, sink: ReadSink): void {
    const type = string(record["type"]) ?? "?";
    if (type === "thread.started") this.#thread(text(record["thread_id"]), sink);
    const session = (this.#session ??= this.#items.session(unknownThread));
    if (type === "turn.started") this.#turn(session);
    else if (type.startsWith("item.")) this.#item(session, type, record["item"], sink);
    else if (type === "error") this.#error(session, messageOf(record["message"]), sink);
    else if (type === "turn.completed") this.#completed(session, record["usage"], sink);
    else if (type === "turn.failed") this.#failed(session, messageOf(record["error"]), sink);
    else if (type !== "thread.started") session.novelty("kind", type, record, sink);
  }

  /** One stream can hold several threads, one after the other. */
  #thread(id: string | undefined, sink: ReadSink): void {
    if (id === undefined || id === this.#session?.id) return;
    this.#calls.finish(sink);
    this.#session = this.#items.session(id);
    this.#total = new RunningTotal();
    this.#failure = undefined;
    this.#session.learn({}, sink);
  }

  #turn(session: SessionItems): void {
    session.beginTurn();
    this.#failure = undefined;
    this.#answer = undefined;
  }

  #item(session: SessionItems, type: string, value: JsonValue | undefined, sink: ReadSink): void {
    const item = object(value) ?? {};
    const id = text(item["id"]);
    const kind = string(item["type"]) ?? "?";
    const call = id === undefined ? undefined : callOf(kind, item);
    if (id === undefined || call === undefined) {
      if (!plainItems.has(kind)) session.novelty("kind", `item/${kind}`, item, sink);
      else if (kind === "agent_message") this.#said(session, id ?? "-", text(item["text"]), sink);
      return;
    }
    const { tool, input } = call;
    const named = classifyCall(
      { tool, input },
      { tools: codexTools, cwd: this.#options.cwd, home: this.#options.home },
    );
    this.#calls.start({ callId: id, sessionId: session.id, tool, class: named }, sink);
    if (type === "item.completed") this.#ended(session, id, item, sink);
  }

  #said(session: SessionItems, key: string, words: string | undefined, sink: ReadSink): void {
    if (words === undefined) return;
    this.#answer = cutBytes(plainText(words), RESULT_TEXT_BYTES);
    const head = { v: 1, sessionId: session.id, key, rev: 0, seq: 0, turn: session.turn } as const;
    sink.live?.({ ...head, type: "text_delta", text: words });
  }

  #ended(session: SessionItems, id: string, item: JsonObject, sink: ReadSink): void {
    const exitCode = number(item["exit_code"]);
    const output = string(item["aggregated_output"]);
    const status = string(item["status"]);
    const denied = status === "declined";
    const isError =
      denied || status === "failed" || (exitCode ?? 0) !== 0 || (item["error"] ?? null) !== null;
    const words = output ?? messageOf(item["error"]);
    const error = isError ? classifyError(words, { about: "tool", exitCode, denied }) : undefined;
    const outcome = error === undefined ? "ok" : denied ? "denied" : "error";
    const resultBytes = output === undefined ? undefined : Buffer.byteLength(output);
    const [child] = item["tool"] === "spawn_agent" ? (strings(item["receiver_thread_ids"]) ?? []) : [];
    this.#calls.end(session.id, id, { outcome, error, exitCode, resultBytes, childSessionId: child }, sink);
    if (child !== undefined) session.mark("subagent_start", child, undefined, { note: child }, sink);
    this.#children(session, item["agents_states"], sink);
  }

  #children(session: SessionItems, states: JsonValue | undefined, sink: ReadSink): void {
    for (const [id, state] of Object.entries(object(states) ?? {})) {
      const status = string(object(state)?.["status"]);
      if (status === "completed" || status === "errored" || status === "shutdown") {
        session.mark("subagent_end", id, undefined, { note: status }, sink);
      }
    }
  }

  /** A request is tried again, or the turn is about to fail: `turn.failed` repeats the text. */
  #error(session: SessionItems, message: string, sink: ReadSink): void {
    const kind = isReconnectNotice(message) ? "api_retry" : "api_error";
    if (kind === "api_error") this.#failure = message;
    session.mark(kind, undefined, undefined, { note: message, ...modelError(message, undefined) }, sink);
  }

  #completed(session: SessionItems, value: JsonValue | undefined, sink: ReadSink): void {
    const total = codexTokens(value);
    const amount = this.#total.advance(total, undefined, false);
    if (amount !== undefined) {
      const key = `turn:${session.turn}`;
      sink.item({
        ...session.head("usage", key, this.#items.nextSeq()),
        type: "usage",
        key,
        ...tokenCounts(amount),
        costSource: "unknown",
        // A resumed thread states its whole total here, earlier runs included, and nothing in the stream says so.
        exact: false,
        covers: "turn",
      });
    }
    sink.item({
      ...session.head("result", String(session.turn), this.#items.nextSeq()),
      type: "result",
      isError: false,
      ...present({ text: this.#answer }),
      claims: total === undefined ? [] : [{ usage: tokenCounts(total), since: "session", subagents: "out" }],
    });
  }

  #failed(session: SessionItems, message: string, sink: ReadSink): void {
    const verdict = modelError(message, undefined);
    const { errorClass, errorKind } = verdict;
    if (this.#failure !== message)
      session.mark("api_error", undefined, undefined, { note: message, ...verdict }, sink);
    this.#failure = message;
    sink.item({
      ...session.head("result", String(session.turn), this.#items.nextSeq()),
      type: "result",
      isError: true,
      errorClass,
      errorKind,
      claims: [],
    });
  }

  get session(): SessionItems {
    return (this.#session ??= this.#items.session(unknownThread));
  }

  finish(sink: ReadSink): void {
    this.#calls.finish(sink);
    this.#items.finish(sink);
  }

  state(): JsonValue {
    return {
      items: this.#items.state(),
      calls: this.#calls.state(),
      total: this.#total.state(),
      ...present({ session: this.#session?.id, failure: this.#failure, answer: this.#answer }),
    };
  }
}

/** The call that an item of the stream stands for. */
const callOf = (kind: string, item: JsonObject): { tool: string; input: JsonValue } | undefined => {
  if (kind === "command_execution")
    return { tool: kind, input: { cmd: shellScript(string(item["command"]) ?? "") } };
  if (kind === "file_change") {
    return {
      tool: kind,
      input: { paths: objects(item["changes"]).flatMap((change) => text(change["path"]) ?? []) },
    };
  }
  if (kind === "mcp_tool_call") return { tool: text(item["tool"]) ?? kind, input: item["arguments"] ?? {} };
  if (kind === "web_search") return { tool: kind, input: { query: item["query"] ?? "" } };
  if (kind === "collab_tool_call")
    return { tool: text(item["tool"]) ?? kind, input: { prompt: item["prompt"] ?? "" } };
  return undefined;
};

export const execReader = (options: ReaderOptions): LineReader =>
  jsonLinesReader(new ExecHandler(options, object(handlerState(options.state))), {
    state: options.state,
    fields: streamFields,
  });

const firstKinds = new Set([
  "thread.started",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "item.started",
  "item.completed",
]);

export const isExecLine = (line: string): boolean =>
  firstKinds.has(string(object(parseJson(line))?.["type"]) ?? "");
