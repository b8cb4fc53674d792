import type { JsonValue } from "../../reader.ts";
import { type JsonMasking, maskJsonLine } from "./line.ts";

/** The value with its strings masked, by the rules for a line of JSON. A value without secrets is given back itself. */
export function maskJsonValue(value: JsonValue, masking: JsonMasking): JsonValue {
  const line = JSON.stringify(value);
  const masked = maskJsonLine(line, masking);
  // What was written from a JsonValue reads back as one.
  return masked === line ? value : (JSON.parse(masked) as JsonValue);
}
