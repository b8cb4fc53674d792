import { Buffer } from "node:buffer";
import type { CallEnd } from "../../calls.ts";
import { classifyError, type ErrorVerdict } from "../../classify/index.ts";
import type { ErrorKind, Outcome, RequestRef, TokenCounts } from "../../item.ts";
import { count, object, objects, string, text, type JsonObject } from "../../jsonline.ts";
import { lookup } from "../../lookup.ts";
import { present } from "../../present.ts";
import type { JsonValue } from "../../reader.ts";
import { fromMillis } from "../../time.ts";

/** The text blocks of a message. */
export const messageText = (message: JsonObject): string =>
  objects(message["content"])
    .flatMap((block) => (block["type"] === "text" ? (string(block["text"]) ?? []) : []))
    .join("\n");

/** Tokens of a response or a result: `input` excludes the cache and `output` includes reasoning, as in the record. */
export const tokensOf = (value: JsonValue | undefined): TokenCounts | undefined => {
  const usage = object(value);
  if (usage === undefined) return undefined;
  const writes = count(usage["cacheWrite"]);
  const long = count(usage["cacheWrite1h"]);
  return present({
    input: count(usage["input"]),
    output: count(usage["output"]),
    cacheRead: count(usage["cacheRead"]),
    cacheWrite5m: writes === undefined ? undefined : writes - Math.min(long ?? 0, writes),
    cacheWrite1h: long,
    reasoning: count(usage["reasoning"]),
  });
};

export const requestOf = (value: JsonValue | undefined): RequestRef | undefined => {
  const request = object(value);
  const id = text(request?.["id"]);
  return id === undefined ? undefined : { id, ...present({ sha256: text(request?.["sha256"]) }) };
};

/** What the pipeline says became of a call, for those that never ran or were cut short. */
const stopped: Readonly<Record<string, { outcome: Outcome; error: ErrorVerdict }>> = {
  blocked: { outcome: "denied", error: { errorClass: "other", errorKind: "denied" } },
  invalid_arguments: { outcome: "error", error: { errorClass: "other", errorKind: "invalid_arguments" } },
  unknown_tool: { outcome: "error", error: { errorClass: "other", errorKind: "unknown_tool" } },
  aborted: { outcome: "error", error: { errorClass: "other", errorKind: "interrupted" } },
  timed_out: { outcome: "error", error: { errorClass: "timeout", errorKind: "timed_out" } },
};

const codes: Readonly<Record<string, ErrorKind>> = {
  ENOENT: "not_found",
  EACCES: "denied",
  EPERM: "denied",
  exit_nonzero: "exit_nonzero",
  no_match: "no_match",
};

/** The end of a call, from `tool_execution_end` or from a tool-result message: both carry the same account. */
export const callEnd = (account: JsonObject, said: string, at: string | undefined): CallEnd => {
  const end: CallEnd = {
    outcome: "ok",
    at,
    resultBytes: Buffer.byteLength(said),
    exitCode: count(account["exitCode"]),
    durationMs: count(account["durationMs"]),
  };
  if (account["isError"] !== true) return end;
  const known = lookup(stopped, string(account["outcome"]) ?? "");
  if (known !== undefined) return { ...end, ...known };
  const errorKind = lookup(codes, string(account["errorCode"]) ?? "");
  const error: ErrorVerdict =
    errorKind === undefined
      ? classifyError(said, { about: "tool", exitCode: end.exitCode })
      : { errorClass: "other", errorKind };
  return { ...end, outcome: "error", error };
};

/** The agent's own word for a failed request, in ours. */
const errorKinds: Readonly<Record<string, ErrorVerdict>> = {
  auth: { errorClass: "auth", errorKind: "unauthorized" },
  rate_limit: { errorClass: "quota", errorKind: "rate_limited" },
  overloaded: { errorClass: "transport", errorKind: "overloaded" },
  context_overflow: { errorClass: "other", errorKind: "context_overflow" },
  network: { errorClass: "transport", errorKind: "connection" },
  aborted: { errorClass: "other", errorKind: "interrupted" },
};

/** `{kind, status?, message}` of a failed request. */
export const requestError = (
  value: JsonValue | undefined,
  fallback = "",
): ErrorVerdict & { note: string; status?: number } => {
  const error = object(value);
  const note = text(error?.["message"]) ?? fallback;
  const status = count(error?.["status"]);
  const verdict =
    lookup(errorKinds, string(error?.["kind"]) ?? "") ?? classifyError(note, { about: "model", status });
  return { note, ...verdict, ...present({ status }) };
};

/** When a message began, by its own clock. */
export const startedAt = (message: JsonObject): string | undefined => fromMillis(count(message["timestamp"]));
