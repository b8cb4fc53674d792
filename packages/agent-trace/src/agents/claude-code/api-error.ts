import { classifyError } from "../../classify/index.ts";
import type { Timestamp } from "../../item.ts";
import type { SessionItems } from "../../items.ts";
import { boolean, count, object, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { ReadSink } from "../../reader.ts";
import { fromMillis, timestamp } from "../../time.ts";
import { resultText } from "./tool-result.ts";

/**
 * A failed model request, which Claude Code writes as a message of its own (`<synthetic>` model). It is no response and
 * costs nothing. Stream and transcript spell the fields differently. `synthetic` is a message that the program wrote in
 * the model's name without any error; neither is a response. `resetAt`: the end of the limit that the source told of.
 */
export const readApiError = (
  session: SessionItems,
  record: JsonObject,
  resetAt: Timestamp | undefined,
  sink: ReadSink,
): "error" | "synthetic" | "response" => {
  const message = object(record["message"]) ?? {};
  const synthetic = message["model"] === "<synthetic>";
  const code = string(record["error"]);
  const flagged = boolean(record["is_api_error_message"]) ?? boolean(record["isApiErrorMessage"]);
  // 2.1.197 does not flag it: there only the error code tells it from a synthetic message without an error.
  if (flagged !== true && !(synthetic && code !== undefined)) return synthetic ? "synthetic" : "response";
  const said = resultText(message["content"]);
  const status = count(record["api_error_status"]) ?? count(record["apiErrorStatus"]);
  const at = timestamp(record["timestamp"]) ?? session.facts.endedAt;
  const verdict = classifyError(said, { about: "model", status, code, at, resetAt });
  session.mark(
    "api_error",
    text(record["uuid"]),
    timestamp(record["timestamp"]),
    { note: said, ...verdict, ...present({ status, resetAt: resetIn(said) }) },
    sink,
  );
  return "error";
};

/** Of a usage limit some versions say in seconds when it ends: `… usage limit reached|1796080000`. */
const resetIn = (said: string): string | undefined => {
  const seconds = /limit reached\|(\d{9,11})(?!\d)/.exec(said)?.[1];
  return seconds === undefined ? undefined : fromMillis(Number(seconds) * 1000);
};
