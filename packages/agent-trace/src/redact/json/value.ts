import type { JsonValue } from "../../reader.ts";
import { MASK } from "../controls.ts";
import { type JsonMasking, maskJsonLine } from "./line.ts";
import { decodeLiteral, eachLiteral } from "./literals.ts";

/**
 * The value with its strings masked, by the rules for a line of JSON. A value without secrets is given back itself; of
 * another one what JSON would write. One that is nested too deeply to be written is masked whole.
 */
export function maskJsonValue(value: JsonValue, masking: JsonMasking): JsonValue {
  try {
    const line: string | undefined = JSON.stringify(value);
    if (line === undefined) return value;
    const masked = maskJsonLine(line, masking);
    if (masked === line) return value;
    // A line that never came to rest was masked whole.
    if (masked === JSON.stringify(MASK)) return MASK;
    const strings: string[] = [];
    eachLiteral(masked, (literal) => strings.push(decodeLiteral(masked, literal) ?? MASK));
    return withStrings(value, strings.values());
  } catch (error) {
    if (error instanceof RangeError) return MASK;
    throw error;
  }
}

/**
 * A copy of the value with these strings in the order in which they are written. The masked line is not parsed as a
 * whole: V8 12 and 13 can mistake one key with an escape for another one that it has seen.
 */
function withStrings(value: unknown, strings: Iterator<string>): JsonValue {
  const plain = asWritten(value);
  if (typeof plain === "string") return strings.next().value ?? MASK;
  if (Array.isArray(plain)) return plain.map((item) => withStrings(item, strings));
  if (typeof plain === "number" || typeof plain === "boolean") return plain;
  if (typeof plain !== "object" || plain === null) return null;
  const entries: [string, JsonValue][] = [];
  for (const item of Object.values(plain)) {
    if (asWritten(item) === undefined) continue;
    const key: string = strings.next().value ?? MASK;
    entries.push([key, withStrings(item, strings)]);
  }
  return Object.fromEntries(entries);
}

/** What JSON writes for a value: `undefined` for what it leaves out. */
function asWritten(value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  const hasOwnForm = typeof value === "object" && value !== null && "toJSON" in value;
  return hasOwnForm && typeof value.toJSON === "function" ? value.toJSON() : value;
}
