import { Buffer } from "node:buffer";
import { cutBytes, noteText, plainText, RESULT_TEXT_BYTES } from "../../bounded-text.ts";
import { classifyCall, classifyError, type ErrorVerdict } from "../../classify/index.ts";
import type {
  Claim,
  ItemHead,
  MarkItem,
  MarkKind,
  ResultItem,
  Timestamp,
  ToolCallItem,
  TraceItem,
} from "../../item.ts";
import {
  boolean,
  number,
  object,
  objects,
  parseJson,
  string,
  text,
  type JsonObject,
} from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue } from "../../reader.ts";
import { fromMillis } from "../../time.ts";
import { fieldMarks, noveltyMark } from "../rows/novelties.ts";
import { transcriptFields } from "./fields.ts";
import { crushTools } from "./tools.ts";

/** A row of `messages`, its parts parsed and masked. */
export interface MessageRow {
  id: string;
  sessionId: string;
  rowid: number;
  role: string;
  parts: readonly JsonObject[];
  model?: string;
  provider?: string;
  createdAt?: Timestamp;
  updatedAt?: Timestamp;
  isSummary: boolean;
}

export interface RowContext {
  turn: number;
  cwd?: string;
  home?: string;
  /** What the session's row claims to have spent. */
  claims: Claim[];
}

/** Most parts of a row that keep numbers of their own in the order of starts. */
const partsPerRow = 1000;

/** The schema says milliseconds; Crush writes seconds, and the opencode it came from milliseconds. */
export const rowTime = (value: number | undefined): Timestamp | undefined =>
  value === undefined ? undefined : fromMillis(value < 100_000_000_000 ? value * 1000 : value);

const headOf = (row: MessageRow, key: string, index: number, rev: number, turn: number): ItemHead => ({
  v: 1,
  sessionId: row.sessionId,
  key,
  rev,
  seq: row.rowid * partsPerRow + index,
  turn,
});

const dataOf = (part: JsonObject | undefined): JsonObject => object(part?.["data"]) ?? {};

const textOf = (row: MessageRow): string =>
  row.parts
    .flatMap((part) => (part["type"] === "text" ? (string(dataOf(part)["text"]) ?? []) : []))
    .join("\n");

/** Marks and results of one row; its calls come with their results. */
export const rowItems = (row: MessageRow, context: RowContext): TraceItem[] => {
  const items: TraceItem[] = [];
  if (row.isSummary) items.push(mark(row, context, "compaction", row.createdAt, {}));
  if (row.role === "user")
    items.push(mark(row, context, "user_message", row.createdAt, { note: textOf(row) }));
  if (row.role === "assistant") {
    const finish = row.parts.find((part) => part["type"] === "finish");
    if (finish !== undefined) items.push(...finishItems(row, context, dataOf(finish)));
  }
  for (const part of row.parts) {
    const type = string(part["type"]) ?? "?";
    const head = headOf(row, row.id, 0, 0, context.turn);
    items.push(...fieldMarks(head, transcriptFields, part));
    if (!knownParts.has(type)) items.push(noveltyMark(head, "kind", `part/${type}`));
  }
  return items;
};

/** Reasons that end a turn. */
const ends = new Set(["end_turn", "max_tokens", "content_filter", "permission_denied", "canceled", "error"]);

const knownParts = new Set([
  "text",
  "reasoning",
  "tool_call",
  "tool_result",
  "finish",
  "image_url",
  "binary",
  "shell_command",
]);

const mark = (
  row: MessageRow,
  { turn }: RowContext,
  kind: MarkKind,
  at: Timestamp | undefined,
  { note, ...fields }: Partial<Pick<MarkItem, "note" | "errorClass" | "errorKind">>,
): MarkItem => ({
  ...headOf(row, `${kind}:${row.id}`, 0, 0, turn),
  type: "mark",
  kind,
  ...fields,
  ...present({ at, note: note === undefined ? undefined : noteText(note) }),
});

/** How the model's answer ended: `tool_use` is a step, everything else ends the turn. */
const finishItems = (row: MessageRow, context: RowContext, finish: JsonObject): TraceItem[] => {
  const reason = string(finish["reason"]) ?? "unknown";
  const at = rowTime(number(finish["time"])) ?? row.updatedAt;
  if (reason === "tool_use" || reason === "unknown") return [];
  if (!ends.has(reason))
    return [noveltyMark(headOf(row, row.id, 0, 0, context.turn), "value", `finish.reason/${reason}`)];
  if (reason === "canceled") {
    return [
      mark(row, context, "interrupted", at, { note: reason }),
      result(row, context, reason, at, true, "", undefined),
    ];
  }
  if (reason !== "error") return [result(row, context, reason, at, false, textOf(row), undefined)];
  const words = [finish["message"], finish["details"]].flatMap((part) => text(part) ?? []).join(": ");
  const verdict = classifyError(words, { about: "model", at });
  return [
    mark(row, context, "api_error", at, { note: words, ...verdict }),
    result(row, context, reason, at, true, words, verdict),
  ];
};

const result = (
  row: MessageRow,
  context: RowContext,
  subtype: string,
  at: Timestamp | undefined,
  isError: boolean,
  words: string,
  verdict: ErrorVerdict | undefined,
): ResultItem => ({
  ...headOf(row, row.id, partsPerRow - 1, 0, context.turn),
  type: "result",
  subtype,
  isError,
  ...present({
    at,
    text: words === "" ? undefined : cutBytes(plainText(words), RESULT_TEXT_BYTES),
    errorClass: verdict?.errorClass,
    errorKind: verdict?.errorKind,
  }),
  claims: context.claims,
});

/** The calls that a row of the model asks for, by id. */
export const callsOf = (row: MessageRow): Map<string, { part: JsonObject; index: number }> => {
  const calls = new Map<string, { part: JsonObject; index: number }>();
  for (const [index, part] of row.parts.entries()) {
    const id = part["type"] === "tool_call" ? text(dataOf(part)["id"]) : undefined;
    if (id !== undefined) calls.set(id, { part: dataOf(part), index: index + 1 });
  }
  return calls;
};

export const resultsOf = (row: MessageRow): JsonObject[] =>
  row.parts.filter((part) => part["type"] === "tool_result").map(dataOf);

export const resultId = (answer: JsonObject): string | undefined => text(answer["tool_call_id"]);

/** A call and what answered it, `undefined` where nothing did. An answered call is the unanswered one's next revision. */
export const callItem = (
  row: MessageRow,
  call: { part: JsonObject; index: number },
  answer: { data: JsonObject; at: Timestamp | undefined } | undefined,
  context: RowContext,
): ToolCallItem => {
  const { part, index } = call;
  const tool = string(part["name"]) ?? "?";
  const named = classifyCall(
    { tool, input: inputOf(part["input"]) },
    { tools: crushTools, cwd: context.cwd, home: context.home },
  );
  const end = answer === undefined ? unanswered : endOf(tool, answer.data);
  const { outcome, error, exitCode, resultBytes } = end;
  return {
    ...headOf(row, text(part["id"]) ?? "?", index, answer === undefined ? 0 : 1, context.turn),
    type: "tool_call",
    tool,
    ...named,
    outcome,
    // A row's time is its turn's beginning in whole seconds: too coarse to say how long the call took.
    ...present({
      at: row.createdAt,
      errorClass: error?.errorClass,
      errorKind: error?.errorKind,
      exitCode,
      resultBytes,
      model: row.model,
      provider: row.provider,
    }),
  };
};

interface CallEnd {
  outcome: ToolCallItem["outcome"];
  error?: ErrorVerdict;
  exitCode?: number;
  resultBytes?: number;
}

const unanswered: CallEnd = {
  outcome: "unanswered",
  error: { errorClass: "other", errorKind: "unanswered" },
};

const inputOf = (input: JsonValue | undefined): JsonValue | undefined =>
  typeof input === "string" ? (input === "" ? {} : (parseJson(input) ?? { input })) : input;

const endOf = (tool: string, answer: JsonObject): CallEnd => {
  const words = string(answer["content"]) ?? "";
  const resultBytes = Buffer.byteLength(words);
  const last = tool === "bash" || tool === "job_output" ? lastLine(words) : "";
  const code = /^Exit code (\d+)$/.exec(last)?.[1];
  const exitCode = code === undefined ? undefined : Number(code);
  const interrupted =
    last === "Command was aborted before completion" ||
    /^(?:Tool execution canceled by user|Request cancelled)/i.test(words);
  const isError = boolean(answer["is_error"]) === true || interrupted || (exitCode ?? 0) !== 0;
  if (!isError) return { outcome: "ok", resultBytes, ...present({ exitCode }) };
  const denied = /permission denied by user|user denied permission/i.test(words) || undefined;
  const error = classifyError(words, {
    about: "tool",
    exitCode,
    denied,
    interrupted: interrupted || undefined,
  });
  return { outcome: denied ? "denied" : "error", error, resultBytes, ...present({ exitCode }) };
};

/** The last line of a shell's output, without the working directory that newer versions add. */
const lastLine = (words: string): string =>
  words
    .replace(/\n*<cwd>[^<]*<\/cwd>\s*$/, "")
    .trimEnd()
    .split("\n")
    .at(-1) ?? "";

export const partsOf = (value: JsonValue | undefined): JsonObject[] => objects(value);
