import { parseJson } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";

/** Deeper than what agents write; what is below is left out. Keeps hostile nesting off the stack. */
const depthLimit = 64;

/** Keys whose strings are the agent's ids: two of them must not become one. */
const idKeys = new Set([
  "id",
  "callID",
  "messageID",
  "sessionID",
  "sessionId",
  "parentID",
  "tool_call_id",
  "toolCallId",
]);

/** The value with every string masked, those under id keys excepted. */
export const maskedValue = (value: JsonValue, mask: (text: string) => string, depth = 0): JsonValue => {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === depthLimit) return null;
  if (Array.isArray(value)) return value.map((element) => maskedValue(element, mask, depth + 1));
  const entries = Object.entries(value).map(([key, field]): [string, JsonValue] => [
    key,
    typeof field === "string" && idKeys.has(key) ? field : maskedValue(field, mask, depth + 1),
  ]);
  return Object.fromEntries(entries);
};

/** A JSON text of a row, masked; undefined when it is no JSON. */
export const maskedJson = (text: string, mask: (text: string) => string): JsonValue | undefined => {
  const value = parseJson(text);
  return value === undefined ? undefined : maskedValue(value, mask);
};
