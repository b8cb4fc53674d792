/** A string literal of a JSON line, by the offsets of its content. */
export interface Literal {
  start: number;
  /** Offset of the closing quote. */
  end: number;
  isKey: boolean;
  /** Its content, decoded; `undefined` when it is not valid. */
  text(): string | undefined;
}

/**
 * The literal that holds the unit at `place`; `"outside"` for a unit of `true`, `false`, `null` or a number. In JSON a
 * quote that is not escaped begins or ends a literal, so the nearest ones on both sides are its own. `behind` is the end
 * of a literal before it. `undefined` where no quotes are found: then the line is no JSON.
 */
export function literalAround(line: string, place: number, behind: number): Literal | "outside" | undefined {
  const open = openingQuote(line, place, behind);
  if (open === undefined) return /^[-+.0-9a-z]$/iu.test(line[place] ?? "") && behind > 0 ? "outside" : undefined;
  const end = closingQuote(line, Math.max(open + 1, place));
  return end === undefined ? undefined : makeLiteral(line, open + 1, end);
}

function openingQuote(line: string, place: number, behind: number): number | undefined {
  for (let at = line.lastIndexOf('"', place); at >= behind && at >= 0; at = line.lastIndexOf('"', at - 1)) {
    if (!isEscaped(line, at)) return at;
    if (at === 0) break;
  }
  return undefined;
}

function closingQuote(line: string, from: number): number | undefined {
  for (let at = line.indexOf('"', from); at >= 0; at = line.indexOf('"', at + 1)) if (!isEscaped(line, at)) return at;
  return undefined;
}

function isEscaped(line: string, at: number): boolean {
  let slashes = 0;
  while (line.charCodeAt(at - 1 - slashes) === 92) slashes += 1;
  return slashes % 2 === 1;
}

function makeLiteral(line: string, start: number, end: number): Literal {
  let after = end + 1;
  while (isBlank(line.charCodeAt(after))) after += 1;
  return {
    start,
    end,
    isKey: line.charCodeAt(after) === 58,
    text: () => decode(line.slice(start, end)),
  };
}

function decode(content: string): string | undefined {
  if (!content.includes("\\")) return content;
  try {
    const text: unknown = JSON.parse(`"${content}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

/** The string behind a key whose literal ends at `end`, or the strings of an array of strings behind it. */
export function stringsBehind(line: string, end: number): Literal[] {
  let at = end + 1;
  const skip = (): number => {
    while (isBlank(line.charCodeAt(at))) at += 1;
    return line.charCodeAt(at);
  };
  if (skip() !== 58) return [];
  at += 1;
  const list = skip() === 91;
  if (list) at += 1;
  const strings: Literal[] = [];
  while (skip() === 34) {
    const close = closingQuote(line, at + 1);
    if (close === undefined) break;
    strings.push(makeLiteral(line, at + 1, close));
    at = close + 1;
    if (!list || skip() !== 44) break;
    at += 1;
  }
  return strings;
}

/** The keys and indices from the top of the line to the literal whose content begins at `start`. */
export function pathOf(line: string, start: number): string[] {
  const path: (string | number)[] = [];
  let key: string | undefined;
  for (let at = 0; at < start - 1; at++) {
    const unit = line[at];
    if (unit === '"') {
      const end = closingQuote(line, at + 1) ?? line.length;
      if (end >= start) break;
      const literal = makeLiteral(line, at + 1, end);
      if (literal.isKey) key = literal.text();
      if (literal.isKey && typeof path.at(-1) === "string") path[path.length - 1] = key ?? "";
      at = end;
    } else if (unit === "{") path.push("");
    else if (unit === "[") path.push(0);
    else if (unit === "}" || unit === "]") path.pop();
    else if (unit === ",") {
      const last = path.at(-1);
      if (typeof last === "number") path[path.length - 1] = last + 1;
    }
  }
  return path.map(String);
}

/** Whether a path is one of the patterns; `*` stands for any one key or index. */
export function isIdPath(path: readonly string[], patterns: readonly (readonly string[])[]): boolean {
  return patterns.some(
    (pattern) => pattern.length === path.length && pattern.every((part, i) => part === "*" || part === path[i]),
  );
}
