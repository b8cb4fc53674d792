import { Buffer } from "node:buffer";
import type { TranscriptOptions } from "../../agent.ts";
import { CallBook } from "../../calls.ts";
import { classifyCall, classifyError, type ToolTable } from "../../classify/index.ts";
import type { Claim, Timestamp, TokenCounts } from "../../item.ts";
import { SourceItems, type SessionItems } from "../../items.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import {
  at as path,
  boolean,
  count,
  number,
  object,
  parseJson,
  string,
  text,
  type JsonObject,
} from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, LineReader, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { transcriptFields } from "./fields.ts";

const copilotTools: ToolTable = {
  bash: "shell",
  shell: "shell",
  powershell: "shell",
  read_bash: "shell",
  write_bash: "shell",
  stop_bash: "shell",
  view: "read",
  edit: "edit",
  create: "edit",
  str_replace_editor: "edit",
  apply_patch: "patch",
  grep: "search",
  rg: "search",
  glob: "search",
  task: "agent",
};

type EventReader = (
  session: SessionItems,
  data: JsonObject,
  at: Timestamp | undefined,
  sink: ReadSink,
  id: string | undefined,
) => void;

/** Copilot's events: `{type, data, id, timestamp, parentId}`. A sub-agent's stand between, with the call that started it. */
class EventFileHandler implements RecordHandler {
  readonly #options: TranscriptOptions;
  readonly #items: SourceItems;
  readonly #calls: CallBook;
  #sessionId: string;

  constructor(options: TranscriptOptions, saved: JsonObject | undefined) {
    this.#options = options;
    this.#items = new SourceItems("copilot-cli", saved?.["items"]);
    this.#calls = new CallBook(this.#items, saved?.["calls"]);
    this.#sessionId = string(saved?.["sessionId"]) ?? idOfPath(options.path);
  }

  record(event: JsonObject, sink: ReadSink): void {
    const type = string(event["type"]) ?? "?";
    const data = object(event["data"]) ?? {};
    const at = timestamp(event["timestamp"]);
    if (type === "session.start") this.#sessionId = text(data["sessionId"]) ?? this.#sessionId;
    const main = this.#items.session(this.#sessionId);
    const session = this.#place(main, data, at, sink);
    session.touch(at);
    const reader = Object.hasOwn(this.#readers, type) ? this.#readers[type] : undefined;
    if (reader !== undefined) reader(session, data, at, sink, text(event["id"]));
    else if (!passed.test(type)) main.novelty("kind", type, event, sink);
  }

  /** A sub-agent has no id of its own: it is named after the call that started it. */
  #place(main: SessionItems, data: JsonObject, at: Timestamp | undefined, sink: ReadSink): SessionItems {
    const call = text(data["parentToolCallId"]);
    if (call === undefined) return main;
    const session = this.#items.session(childId(main, call));
    session.touch(at);
    session.learn({ parentSessionId: main.id, parentCallId: call }, sink);
    return session;
  }

  readonly #readers: Readonly<Record<string, EventReader>> = {
    "session.start": (session, data, _at, sink) => {
      session.learn(
        present({
          agentVersion: text(data["copilotVersion"]),
          cwd: text(path(data, "context", "cwd")),
          gitBranch: text(path(data, "context", "branch")),
        }),
        sink,
      );
    },
    "session.title_changed": (session, data, _at, sink) => {
      session.learn(present({ title: text(data["title"]) }), sink);
    },
    "user.message": (session, data, at, sink, id) => {
      session.beginTurn();
      session.mark("user_message", id, at, { note: string(data["content"]) ?? "" }, sink);
    },
    "assistant.message": (session, data, at, sink) => this.#message(session, data, at, sink),
    "tool.execution_start": (session, data, at, sink) => this.#start(session, data, at, sink),
    "tool.execution_complete": (session, data, at, sink) => this.#end(session, data, at, sink),
    "subagent.started": (session, data, at, sink) => {
      const call = text(data["toolCallId"]);
      session.mark("subagent_start", call, at, { note: string(data["agentName"]) ?? "" }, sink);
      if (call === undefined) return;
      this.#calls.amend(session.id, call, { childSessionId: childId(session, call) });
    },
    "subagent.completed": (session, data, at, sink) => {
      session.mark(
        "subagent_end",
        text(data["toolCallId"]),
        at,
        { note: string(data["agentName"]) ?? "" },
        sink,
      );
    },
    "subagent.failed": (session, data, at, sink) => {
      session.mark(
        "subagent_end",
        text(data["toolCallId"]),
        at,
        { note: string(data["error"]) ?? "failed" },
        sink,
      );
    },
    "session.error": (session, data, at, sink, id) => {
      const note = string(data["message"]) ?? "";
      const status = number(data["statusCode"]);
      const verdict = classifyError(note, { about: "model", status, code: string(data["errorType"]), at });
      session.mark("api_error", id, at, { note, ...verdict, ...present({ status }) }, sink);
    },
    abort: (session, data, at, sink, id) => {
      session.mark("interrupted", id, at, { note: string(data["reason"]) ?? "" }, sink);
    },
    "session.compaction_complete": (session, _data, at, sink, id) =>
      session.mark("compaction", id, at, {}, sink),
    "session.truncation": (session, _data, at, sink, id) =>
      session.mark("compaction", id, at, { note: "truncation" }, sink),
    "permission.completed": (session, data, at, sink) => {
      const kind = string(path(data, "result", "kind")) ?? "";
      if (kind.startsWith("denied"))
        session.mark("permission_denied", text(data["requestId"]), at, { note: kind }, sink);
    },
    "session.shutdown": (session, data, at, sink, id) => this.#shutdown(session, data, at, sink, id),
  };

  #message(session: SessionItems, data: JsonObject, at: Timestamp | undefined, sink: ReadSink): void {
    const model = text(data["model"]);
    if (model !== undefined) session.learn({ models: [{ model }] }, sink);
    const key = text(data["messageId"]);
    const output = count(data["outputTokens"]);
    if (key === undefined || output === undefined || output === 0) return;
    // What went in stands only in the totals at the end.
    const head = session.head("usage", key, this.#items.nextSeq(), at);
    sink.item({
      ...head,
      type: "usage",
      key,
      ...present({ model }),
      output,
      costSource: "unknown",
      exact: true,
      covers: "response",
    });
  }

  #start(session: SessionItems, data: JsonObject, at: Timestamp | undefined, sink: ReadSink): void {
    const callId = text(data["toolCallId"]);
    const tool = text(data["toolName"]);
    if (callId === undefined || tool === undefined) return;
    const cwd = this.#items.session(this.#sessionId).facts.cwd ?? this.#options.cwd;
    const named = classifyCall(
      { tool, input: data["arguments"] },
      { tools: copilotTools, cwd, home: this.#options.home },
    );
    this.#calls.start(
      { callId, sessionId: session.id, tool, at, class: named, model: text(data["model"]) },
      sink,
    );
  }

  #end(session: SessionItems, data: JsonObject, at: Timestamp | undefined, sink: ReadSink): void {
    const callId = text(data["toolCallId"]);
    if (callId === undefined) return;
    const failure = object(data["error"]);
    const words = string(failure?.["message"]) ?? string(path(data, "result", "content")) ?? "";
    const isError = boolean(data["success"]) === false;
    const denied = /^(?:denied|rejected)/.test(string(failure?.["code"]) ?? "") || undefined;
    const exit = isError ? /<exited with exit code (\d+)>\s*$/.exec(words)?.[1] : undefined;
    const exitCode = exit === undefined ? undefined : Number(exit);
    const error = isError ? classifyError(words, { about: "tool", denied, exitCode }) : undefined;
    const outcome =
      error === undefined ? "ok" : denied === true || error.errorKind === "denied" ? "denied" : "error";
    const durationMs = number(path(data, "toolTelemetry", "metrics", "durationMs"));
    this.#calls.end(
      session.id,
      callId,
      { outcome, at, error, exitCode, durationMs, resultBytes: Buffer.byteLength(words) },
      sink,
    );
  }

  #shutdown(
    session: SessionItems,
    data: JsonObject,
    at: Timestamp | undefined,
    sink: ReadSink,
    id: string | undefined,
  ): void {
    const seq = this.#items.nextSeq();
    const subtype = string(data["shutdownType"]) ?? "shutdown";
    sink.item({
      ...session.head("result", id ?? String(seq), seq, at),
      type: "result",
      subtype,
      isError: subtype === "error",
      claims: claimsOf(data),
    });
  }

  get session(): SessionItems {
    return this.#items.session(this.#sessionId);
  }

  finish(sink: ReadSink): void {
    this.#calls.finish(sink);
    this.#items.finish(sink);
  }

  state(): JsonValue {
    return { items: this.#items.state(), calls: this.#calls.state(), sessionId: this.#sessionId };
  }
}

/** Events that no item is made of. */
const passed =
  /^(?:hook\.|assistant\.(?:turn_|reasoning|intent|usage|streaming)|system\.|permission\.requested|skill\.|tool\.(?:user_requested|execution_(?:partial|progress))|session\.(?:info|idle|resume|model_change|mode_changed|permissions_changed|auto_mode_|usage_|context_|workspace_|plan_|import_|handoff|snapshot_|compaction_start|task_complete|background_))/;

const childId = (session: SessionItems, call: string): string => `${session.id}/${call}`;

const idOfPath = (file: string): string => {
  const parts = /([^/]+)\/events\.jsonl$/.exec(file) ?? /([^/]+)\.jsonl$/.exec(file);
  return parts?.[1] ?? file;
};

/** The totals by model, where they say anything: input includes the cached part. */
const claimsOf = (data: JsonObject): Claim[] => {
  const total: Required<Pick<TokenCounts, "input" | "output" | "cacheRead" | "cacheWrite5m" | "reasoning">> =
    {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite5m: 0,
      reasoning: 0,
    };
  for (const metrics of Object.values(object(data["modelMetrics"]) ?? {})) {
    const usage = path(metrics, "usage");
    const cacheRead = count(path(usage, "cacheReadTokens")) ?? 0;
    const cacheWrite = count(path(usage, "cacheWriteTokens")) ?? 0;
    total.input += Math.max(0, (count(path(usage, "inputTokens")) ?? 0) - cacheRead - cacheWrite);
    total.output += count(path(usage, "outputTokens")) ?? 0;
    total.cacheRead += cacheRead;
    total.cacheWrite5m += cacheWrite;
    total.reasoning += count(path(usage, "reasoningTokens")) ?? 0;
  }
  return total.input + total.output + total.cacheRead === 0
    ? []
    : [{ usage: total, since: "session", subagents: "in" }];
};

export const copilotReader = (options: TranscriptOptions): LineReader =>
  jsonLinesReader(new EventFileHandler(options, object(handlerState(options.state))), {
    state: options.state,
    fields: transcriptFields,
  });

export const isCopilotHead = (lines: readonly string[]): boolean => {
  const head = object(parseJson(lines[0] ?? ""));
  return head?.["type"] === "session.start" && text(path(head, "data", "sessionId")) !== undefined;
};
