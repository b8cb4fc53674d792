import { Buffer } from "node:buffer";
import type { TranscriptOptions } from "../../agent.ts";
import { noteText } from "../../bounded-text.ts";
import { classifyCall, classifyError, type ToolTable } from "../../classify/index.ts";
import type { ItemHead, MarkItem, ServedModel, TokenCounts, ToolCallItem, TraceItem } from "../../item.ts";
import { at as path, count, object, objects, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import { between, timestamp } from "../../time.ts";
import { maskedValue } from "../rows/masked.ts";
import { fieldMarks, noveltyMark, RowNovelties } from "../rows/novelties.ts";
import { documentFields } from "./fields.ts";

const geminiTools: ToolTable = {
  run_shell_command: "shell",
  read_file: "read",
  read_many_files: "read",
  write_file: "edit",
  replace: "edit",
  edit: "edit",
  list_directory: "search",
  glob: "search",
  search_file_content: "search",
  grep_search: "search",
  google_web_search: "search",
};

export const isGeminiSession = (document: JsonValue): boolean =>
  text(path(document, "sessionId")) !== undefined &&
  text(path(document, "projectHash")) !== undefined &&
  Array.isArray(path(document, "messages"));

interface Place {
  sessionId: string;
  rev: number;
  turn: number;
  cwd?: string;
  home?: string;
}

/**
 * Reads a whole session. The document is written anew at each step, so that the time it was last written makes the
 * revision of all that stands in it.
 */
export const readGeminiSession = (document: JsonValue, sink: ReadSink, options: TranscriptOptions): void => {
  const session = object(maskedValue(document, (words) => options.mask(words))) ?? {};
  const sessionId = text(session["sessionId"]);
  if (sessionId === undefined) return;
  const messages = objects(session["messages"]);
  const startedAt = timestamp(session["startTime"]);
  const endedAt = timestamp(session["lastUpdated"]);
  const rev = between(startedAt, endedAt) ?? 0;
  const title = text(session["summary"]);
  sink.item({
    v: 1,
    sessionId,
    key: "-",
    rev,
    seq: 0,
    type: "session",
    agent: "gemini",
    ...present({ startedAt, endedAt, title, models: servedModels(messages) }),
  });
  const novelties = new RowNovelties((words) => options.mask(words));
  const unknown = (head: ItemHead, record: JsonObject): void => {
    for (const mark of fieldMarks(head, documentFields, record)) sink.item(novelties.counted(mark));
  };
  let seq = 1;
  let turn = 0;
  unknown({ v: 1, sessionId, key: "-", rev, seq: 0 }, { ...session, messages: [] });
  for (const [index, message] of messages.entries()) {
    if (message["type"] === "user") turn += 1;
    const place: Place = { sessionId, rev, turn, ...present({ cwd: options.cwd, home: options.home }) };
    for (const item of messageItems(message, `message:${index + 1}`, place, () => seq++))
      sink.item(novelties.counted(item));
    unknown({ v: 1, sessionId, key: "-", rev, seq, turn }, message);
  }
};

const servedModels = (messages: readonly JsonObject[]): ServedModel[] | undefined => {
  const models = new Set(messages.flatMap((message) => text(message["model"]) ?? []));
  return models.size === 0 ? undefined : [...models].map((model) => ({ model }));
};

/** Kinds of messages that the program shows and no item is made of. */
const shown = new Set(["info", "warning"]);

const messageItems = (
  message: JsonObject,
  number: string,
  place: Place,
  nextSeq: () => number,
): TraceItem[] => {
  const id = text(message["id"]) ?? number;
  const type = string(message["type"]) ?? "?";
  const at = timestamp(message["timestamp"]);
  const head = (key: string): ItemHead => {
    const { sessionId, rev, turn } = place;
    return { v: 1, sessionId, key, rev, seq: nextSeq(), turn };
  };
  const mark = (kind: MarkItem["kind"], fields: Partial<MarkItem>): MarkItem => ({
    ...head(`${kind}:${id}`),
    type: "mark",
    kind,
    ...present({ at }),
    ...fields,
  });
  if (type === "user") return [mark("user_message", { note: noteText(contentText(message["content"])) })];
  if (type === "error") {
    const words = contentText(message["content"]);
    return [mark("api_error", { note: noteText(words), ...classifyError(words, { about: "model", at }) })];
  }
  if (type !== "gemini") {
    if (shown.has(type)) return [];
    return [noveltyMark(head(id), "kind", `message/${type}`)];
  }
  const model = text(message["model"]);
  const tokens = tokensOf(message["tokens"]);
  const calls = objects(message["toolCalls"]).map((call) => callItem(call, head, { id, model, ...place }));
  if (tokens === undefined) return calls;
  return [
    {
      ...head(id),
      type: "usage",
      ...present({ at, model }),
      ...tokens,
      costSource: "unknown",
      exact: true,
      covers: "response",
    },
    ...calls,
  ];
};

/** `input` includes the cached part, `output` excludes the thoughts; what tools put into the prompt stands apart. */
const tokensOf = (value: JsonValue | undefined): TokenCounts | undefined => {
  const tokens = object(value);
  const input = count(tokens?.["input"]);
  const output = count(tokens?.["output"]);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = count(tokens?.["cached"]);
  const reasoning = count(tokens?.["thoughts"]);
  const fromTools = count(tokens?.["tool"]) ?? 0;
  return present({
    input: Math.max(0, input - (cacheRead ?? 0)) + fromTools,
    output: output + (reasoning ?? 0),
    cacheRead,
    reasoning,
  });
};

const callItem = (
  call: JsonObject,
  head: (key: string) => ItemHead,
  from: Place & { id: string; model: string | undefined },
): ToolCallItem => {
  const tool = string(call["name"]) ?? "?";
  const status = string(call["status"]);
  const response = path(objects(call["result"])[0], "functionResponse", "response");
  const failure = string(path(response, "error"));
  const words = failure ?? string(path(response, "output"));
  const isOpen = status !== "success" && status !== "error" && status !== "cancelled";
  const denied = status === "cancelled" || undefined;
  const error =
    status === "success"
      ? undefined
      : isOpen
        ? ({ errorClass: "other", errorKind: "unanswered" } as const)
        : classifyError(words ?? "", { about: "tool", denied });
  const outcome = isOpen ? "unanswered" : error === undefined ? "ok" : denied ? "denied" : "error";
  return {
    ...head(text(call["id"]) ?? `${from.id}/${tool}`),
    type: "tool_call",
    tool,
    ...classifyCall({ tool, input: call["args"] }, { tools: geminiTools, cwd: from.cwd, home: from.home }),
    outcome,
    messageId: from.id,
    ...present({
      at: timestamp(call["timestamp"]),
      errorClass: error?.errorClass,
      errorKind: error?.errorKind,
      resultBytes: words === undefined ? undefined : Buffer.byteLength(words),
      model: from.model,
    }),
  };
};

const contentText = (content: JsonValue | undefined): string =>
  string(content) ??
  objects(content)
    .flatMap((part) => string(part["text"]) ?? [])
    .join("\n");
