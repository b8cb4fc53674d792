import { parseJson } from "./jsonline.ts";
import type { JsonValue } from "./reader.ts";

/** The values of one line, and what was left over: text that is no JSON (a torn end, words between the values). */
export interface JsonValues {
  values: JsonValue[];
  rest: string | undefined;
}

/**
 * Reads the JSON values that stand on one line. Writers that append without a lock put two objects on one line, or
 * tear one; every whole object is read.
 */
export const jsonValues = (line: string): JsonValues => {
  const whole = parseJson(line);
  if (whole !== undefined) return { values: [whole], rest: undefined };
  const values: JsonValue[] = [];
  let rest = "";
  let from = 0;
  while (from < line.length) {
    const open = line.indexOf("{", from);
    if (open === -1) break;
    rest += line.slice(from, open);
    const end = objectEnd(line, open);
    const value = end === undefined ? undefined : parseJson(line.slice(open, end));
    if (end === undefined) {
      from = open;
      break;
    }
    if (value === undefined) rest += line.slice(open, end);
    else values.push(value);
    from = end;
  }
  rest = (rest + line.slice(from)).trim();
  return { values, rest: rest === "" ? undefined : rest };
};

/** Where the object that opens at `open` ends, or undefined when the line ends first. */
const objectEnd = (line: string, open: number): number | undefined => {
  let depth = 0;
  for (let at = open; at < line.length; at += 1) {
    const unit = line.charCodeAt(at);
    if (unit === 0x22) {
      const close = stringEnd(line, at);
      if (close === undefined) return undefined;
      at = close;
    } else if (unit === 0x7b) depth += 1;
    else if (unit === 0x7d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
};

/** Index of the quote that closes the string opening at `open`. */
const stringEnd = (line: string, open: number): number | undefined => {
  for (let at = open + 1; at < line.length; at += 1) {
    const unit = line.charCodeAt(at);
    if (unit === 0x5c) at += 1;
    else if (unit === 0x22) return at;
  }
  return undefined;
};
