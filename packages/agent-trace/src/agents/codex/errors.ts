import { classifyError, resetTime, type ErrorVerdict } from "../../classify/index.ts";
import type { Timestamp } from "../../item.ts";
import { at as path, number, object, string } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue } from "../../reader.ts";

/** Whether it is a `Reconnecting... 3/5 (…)` notice: the request is tried again, so it is no failure of the turn. */
export const isReconnectNotice = (message: string): boolean => /^Reconnecting\.{3}\s+\d+\/\d+/.test(message);

/** The HTTP status in an error's text (`unexpected status 401 Unauthorized`, `last status: 429`). */
const statusOf = (message: string): number | undefined => {
  const parts = /(?:unexpected|last) status:? (\d{3})\b/.exec(message);
  return parts === null ? undefined : Number(parts[1]);
};

/** Codex's own word on an error: a name, or an object with the name as its only key. */
export const errorInfo = (info: JsonValue | undefined): { code?: string; status?: number } => {
  if (typeof info === "string") return { code: info };
  const [name, detail] = Object.entries(object(info) ?? {})[0] ?? [];
  return present({ code: name, status: number(path(detail, "http_status_code")) });
};

/** Codex's own wordings, and its names for errors, that no provider uses. */
const phrasings: readonly (readonly [RegExp, ErrorVerdict])[] = [
  [/experiencing high demand|server_overloaded/, { errorClass: "transport", errorKind: "overloaded" }],
  [/hit your usage limit|usage_limit_exceeded/, { errorClass: "quota", errorKind: "usage_limit" }],
  [
    /response_stream_disconnected|stream disconnected before completion/,
    { errorClass: "transport", errorKind: "stream_cut" },
  ],
  [/error sending request/, { errorClass: "transport", errorKind: "connection" }],
];

/** The class of a failed model request. `at`: when it failed; a wait that the message names is counted from there. */
export const modelError = (
  message: string,
  info: JsonValue | undefined,
  at?: Timestamp,
): ErrorVerdict & { status?: number } => {
  const { code, status = statusOf(message) } = errorInfo(info);
  // `other` says nothing; the message does.
  const named = code === "other" ? undefined : code;
  const own = phrasings.find(([pattern]) => pattern.test(`${named ?? ""} ${message}`))?.[1];
  return {
    ...(own ?? classifyError(message, { about: "model", status, code: named, at })),
    ...present({ status, resetAt: own?.errorKind === "usage_limit" ? resetTime(message, at) : undefined }),
  };
};

export const messageOf = (error: JsonValue | undefined): string =>
  string(error) ?? string(path(error, "message")) ?? "";
