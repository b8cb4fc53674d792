import { Structure } from "./structure.ts";

/** A string literal of a JSON line, by the offsets of its content. */
export interface Literal {
  start: number;
  /** Offset of the closing quote. */
  end: number;
  isKey: boolean;
  /** Whether its content holds a backslash. */
  escaped: boolean;
}

const BACKSLASH = 92;
const LETTER_U = 117;

/**
 * Calls `visit` for each string literal of the line, in order, with one object that is valid during the call only. Gives
 * false, perhaps after some calls, when the line is no JSON; the contents of the strings are not looked at.
 */
export function eachLiteral(line: string, visit: (literal: Literal) => void): boolean {
  const structure = new Structure();
  const literal: Literal = { start: 0, end: 0, isKey: false, escaped: false };
  let at = 0;
  let nextSlash = line.indexOf("\\");
  for (;;) {
    const quote = line.indexOf('"', at);
    if (!structure.between(line, at, quote < 0 ? line.length : quote)) return false;
    if (quote < 0) return structure.isWhole;
    const start = quote + 1;
    if (nextSlash >= 0 && nextSlash < start) nextSlash = line.indexOf("\\", start);
    let end = line.indexOf('"', start);
    const escaped = nextSlash >= 0 && nextSlash < end;
    if (escaped) {
      while (end >= 0 && isEscaped(line, end)) end = line.indexOf('"', end + 1);
    }
    const kind = end < 0 ? undefined : structure.string();
    if (kind === undefined) return false;
    literal.start = start;
    literal.end = end;
    literal.isKey = kind === "key";
    literal.escaped = escaped;
    visit(literal);
    at = end + 1;
  }
}

function isEscaped(line: string, at: number): boolean {
  let slashes = 0;
  while (line.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

/** The content of a literal; `undefined` when it is not valid. */
export function decodeLiteral(line: string, literal: Literal): string | undefined {
  if (!literal.escaped) return line.slice(literal.start, literal.end);
  try {
    const text: unknown = JSON.parse(line.slice(literal.start - 1, literal.end + 1));
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The keys and indices from the top of the line to the literal. */
export function pathOf(line: string, { start, end }: Pick<Literal, "start" | "end">): string[] {
  let found: string[] = [];
  eachPlace(line.slice(0, end + 1), (literal, path) => {
    if (literal.start === start) found = path.map(String);
  });
  return found;
}

/**
 * Calls `visit` for each string that is no key, with the keys (strings) and indices (numbers) that lead to it; `path`
 * is valid during the call only. Gives false, perhaps after some calls, when the line is no JSON.
 */
export function eachPlace(
  line: string,
  visit: (literal: Literal, path: readonly (string | number)[]) => void,
): boolean {
  const path: (string | number)[] = [];
  let done = 0;
  return eachLiteral(line, (literal) => {
    step(path, line.slice(done, literal.start - 1));
    done = literal.end + 1;
    if (literal.isKey) path[path.length - 1] = decodeLiteral(line, literal) ?? "";
    else visit(literal, path);
  });
}

function step(path: (string | number)[], between: string): void {
  for (const unit of between) {
    const last = path.at(-1);
    if (unit === "{") path.push("");
    else if (unit === "[") path.push(0);
    else if (unit === "}" || unit === "]") path.pop();
    else if (unit === "," && typeof last === "number") path[path.length - 1] = last + 1;
  }
}

/** Whether a path is one of the patterns; `*` stands for any one key or index. */
export function isIdPath(path: readonly string[], patterns: readonly (readonly string[])[]): boolean {
  return patterns.some(
    (pattern) =>
      pattern.length === path.length && pattern.every((part, i) => part === "*" || part === path[i]),
  );
}

/**
 * Offsets in the content of a literal, as it is written, of offsets in what it stands for. `wanted` is in order; so is
 * the result. The content is valid.
 */
export function writtenOffsets(content: string, wanted: readonly number[]): number[] {
  let written = 0;
  let meant = 0;
  let slash = content.indexOf("\\");
  return wanted.map((offset) => {
    while (slash >= 0 && meant + (slash - written) < offset) {
      meant += slash - written + 1;
      written = slash + (content.charCodeAt(slash + 1) === LETTER_U ? 6 : 2);
      slash = content.indexOf("\\", written);
    }
    return written + (offset - meant);
  });
}

/**
 * Offsets in what a literal stands for, of offsets in its content as it is written, none of them within an escape. They
 * are about in order; the nearer, the cheaper.
 */
export function meantOffsets(content: string, written: Iterable<number>): number[] {
  const meant: number[] = [];
  let from = 0;
  let lost = 0;
  let slash = content.indexOf("\\");
  for (const offset of written) {
    if (offset < from) {
      from = 0;
      lost = 0;
      slash = content.indexOf("\\");
    }
    while (slash >= 0 && slash < offset) {
      const length = content.charCodeAt(slash + 1) === LETTER_U ? 6 : 2;
      lost += length - 1;
      from = slash + length;
      slash = content.indexOf("\\", from);
    }
    meant.push(offset - lost);
  }
  return meant;
}
