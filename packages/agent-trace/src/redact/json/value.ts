import type { JsonValue } from "../../reader.ts";
import { MASK } from "../controls.ts";
import { type JsonMasking, maskJsonLine } from "./line.ts";
import { decodeLiteral, eachLiteral } from "./literals.ts";

/** The value with its strings masked, by the rules for a line of JSON. A value without secrets is given back itself. */
export function maskJsonValue(value: JsonValue, masking: JsonMasking): JsonValue {
  const line = JSON.stringify(value);
  const masked = maskJsonLine(line, masking);
  if (masked === line) return value;
  const strings: string[] = [];
  eachLiteral(masked, (literal) => strings.push(decodeLiteral(masked, literal) ?? MASK));
  // A line that never came to rest was masked whole.
  return masked === JSON.stringify(MASK) ? MASK : withStrings(value, strings.values());
}

/**
 * A copy of the value with these strings in the order in which they are written. The masked line is not parsed as a
 * whole: V8 12 and 13 can mistake one key with an escape for another one that it has seen.
 */
function withStrings(value: JsonValue, strings: Iterator<string>): JsonValue {
  if (typeof value === "string") return strings.next().value ?? MASK;
  if (Array.isArray(value)) return value.map((item) => withStrings(item, strings));
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, JsonValue][] = [];
  for (const item of Object.values(value)) {
    const key: string = strings.next().value ?? MASK;
    entries.push([key, withStrings(item, strings)]);
  }
  return Object.fromEntries(entries);
}
