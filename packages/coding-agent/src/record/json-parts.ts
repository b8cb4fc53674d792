import { parseJson } from "../json.ts";

/** A piece of the text of a JSON object: the value of a member, or one element of a member that is an array. */
export interface JsonPart {
  key: string;
  /** Of an element. */
  index?: number;
  start: number;
  /** One past its last unit. */
  end: number;
}

const SPACE = /[ \t\n\r]*/uy;
const SCALAR = /[^\s,[\]{}"]+/uy;

const matchEnd = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

const skipSpace = (text: string, at: number): number => matchEnd(SPACE, text, at) ?? at;

const endOfString = (text: string, open: number): number | undefined => {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return undefined;
};

const endOfContainer = (text: string, open: number): number | undefined => {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === '"') {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (unit === "{" || unit === "[") depth += 1;
    else if (unit === "}" || unit === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
};

const endOfValue = (text: string, at: number): number | undefined => {
  const unit = text[at];
  if (unit === '"') return endOfString(text, at);
  return unit === "{" || unit === "[" ? endOfContainer(text, at) : matchEnd(SCALAR, text, at);
};

/** Goes through what stands between brackets, parted by commas. Returns where it ends; undefined if it is not like that. */
const throughItems = (
  text: string,
  open: number,
  close: "}" | "]",
  endOfItem: (at: number) => number | undefined,
): number | undefined => {
  let at = skipSpace(text, open + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    const end = endOfItem(at);
    if (end === undefined) return undefined;
    at = skipSpace(text, end);
    if (text[at] === close) return at + 1;
    if (text[at] !== ",") return undefined;
    at = skipSpace(text, at + 1);
  }
};

/**
 * Finds the parts of a JSON object without parsing it; undefined for other text. The text is JSON exactly when the text of
 * every part is.
 */
export const partsOf = (text: string): JsonPart[] | undefined => {
  const parts: JsonPart[] = [];

  const keep = (key: string, start: number, index?: number): number | undefined => {
    const end = endOfValue(text, start);
    if (end !== undefined) parts.push({ key, start, end, ...(index === undefined ? {} : { index }) });
    return end;
  };

  const endOfElements = (key: string, open: number): number | undefined => {
    let index = 0;
    return throughItems(text, open, "]", (at) => {
      index += 1;
      return keep(key, at, index - 1);
    });
  };

  const endOfMember = (at: number): number | undefined => {
    const keyEnd = text[at] === '"' ? endOfString(text, at) : undefined;
    const key = keyEnd === undefined ? undefined : parseJson(text.slice(at, keyEnd));
    const colon = keyEnd === undefined ? at : skipSpace(text, keyEnd);
    if (typeof key !== "string" || text[colon] !== ":") return undefined;
    const start = skipSpace(text, colon + 1);
    const isEmpty = text[skipSpace(text, start + 1)] === "]";
    return text[start] === "[" && !isEmpty ? endOfElements(key, start) : keep(key, start);
  };

  const open = skipSpace(text, 0);
  const end = text[open] === "{" ? throughItems(text, open, "}", endOfMember) : undefined;
  return end !== undefined && skipSpace(text, end) === text.length ? parts : undefined;
};
