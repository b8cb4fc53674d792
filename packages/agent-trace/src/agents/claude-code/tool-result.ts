import { Buffer } from "node:buffer";
import type { CallEnd } from "../../calls.ts";
import { classifyError } from "../../classify/index.ts";
import { array, boolean, object, objects, string, text, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";
import { timestamp } from "../../time.ts";

/** The text of a message or tool result, which is a string or a list of blocks. */
export const resultText = (content: JsonValue | undefined): string => {
  if (typeof content === "string") return content;
  return (array(content) ?? [])
    .flatMap((block) => string(block) ?? string(object(block)?.["text"]) ?? [])
    .join("\n");
};

/**
 * What became of a call. `is_error` alone decides (it is absent on many successes); a shell's failure text begins with
 * its exit code, and a refusal is told by the permission decision.
 */
export const callEnd = (record: JsonObject, block: JsonObject, callId: string): CallEnd => {
  const said = resultText(block["content"]);
  const end: CallEnd = {
    outcome: "ok",
    at: timestamp(record["timestamp"]),
    resultBytes: Buffer.byteLength(said),
  };
  if (boolean(block["is_error"]) !== true) return end;
  const meta = objects(record["tool_result_meta"]).find((entry) => entry["id"] === callId);
  const interrupted = isInterrupted(record, meta, said);
  const denied = !interrupted && isDenied(record, meta, said);
  const code = /^(?:Error: )?Exit code (\d{1,3})\b/.exec(said)?.[1];
  const exitCode = code === undefined ? undefined : Number(code);
  const error = classifyError(said, {
    about: "tool",
    exitCode,
    denied,
    interrupted,
  });
  return { ...end, outcome: error.errorKind === "denied" ? "denied" : "error", error, exitCode };
};

/**
 * A command that an interrupt ended. Print mode writes it as `user-rejected`, although nobody was asked and the command
 * had begun; a refusal there comes with the decision that made it.
 */
const isInterrupted = (record: JsonObject, meta: JsonObject | undefined, said: string): boolean => {
  if (/^(?:\[Request interrupted|Interrupted by user)/.test(said)) return true;
  const isPrint = (text(record["entrypoint"]) ?? "sdk-cli") === "sdk-cli";
  const kind = text(record["toolDenialKind"]) ?? text(meta?.["non_execution_kind"]);
  return isPrint && kind === "user-rejected" && decisionOf(record, meta) === undefined;
};

const isDenied = (record: JsonObject, meta: JsonObject | undefined, said: string): boolean => {
  if (text(record["toolDenialKind"]) !== undefined) return true;
  const decision = decisionOf(record, meta);
  if (decision !== undefined) return decision === "reject" || decision === "deny";
  return /^(?:Claude requested permissions|The user doesn't want to (?:proceed|take this action))/.test(said);
};

const decisionOf = (record: JsonObject, meta: JsonObject | undefined): string | undefined =>
  text((object(meta?.["permission_decision"]) ?? object(record["permissionDecision"]))?.["decision"]);
