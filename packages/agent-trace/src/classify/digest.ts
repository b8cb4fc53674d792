import { createHash } from "node:crypto";
import type { JsonValue } from "../reader.ts";

/** Deeper than any tool's arguments; what is below is not told apart. Keeps hostile nesting off the stack. */
const depthLimit = 64;

/** JSON with the keys sorted at every depth: equal arguments give equal text. */
const sortedJson = (value: JsonValue, depth: number): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (depth === depthLimit) return '"…"';
  if (Array.isArray(value)) return `[${value.map((element) => sortedJson(element, depth + 1)).join(",")}]`;
  const fields = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, field]) => `${JSON.stringify(key)}:${sortedJson(field, depth + 1)}`);
  return `{${fields.join(",")}}`;
};

/** First 32 hex digits of the SHA-256 over the arguments; no arguments and an empty object are the same. */
export const inputDigest = (input: JsonValue | undefined): string =>
  createHash("sha256")
    .update(sortedJson(input ?? {}, 0))
    .digest("hex")
    .slice(0, 32);
