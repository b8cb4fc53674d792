/** A string literal of a JSON line, by the offsets of its content. */
export interface Literal {
  start: number;
  /** Offset of the closing quote. */
  end: number;
  isKey: boolean;
  /** Whether its content holds a backslash. */
  escaped: boolean;
}

// What may stand between the strings of a JSON line: punctuation, blanks, numbers, true, false, null.
const BETWEEN = new Uint8Array(128);
for (const char of "{}[],: \t\r\n0123456789+-.eEtrufalsn") BETWEEN[char.charCodeAt(0)] = 1;

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;

/**
 * Calls `visit` for each string literal of the line, in order. Gives false, perhaps after some calls, when the line is
 * no JSON: what stands outside the strings would not be looked at.
 */
export function eachLiteral(line: string, visit: (literal: Literal) => void): boolean {
  let at = 0;
  let nextSlash = line.indexOf("\\");
  for (;;) {
    const quote = line.indexOf('"', at);
    if (!isBetween(line, at, quote < 0 ? line.length : quote)) return false;
    if (quote < 0) return true;
    const start = quote + 1;
    if (nextSlash >= 0 && nextSlash < start) nextSlash = line.indexOf("\\", start);
    let end = line.indexOf('"', start);
    const escaped = nextSlash >= 0 && nextSlash < end;
    if (escaped) {
      while (end >= 0 && isEscaped(line, end)) end = line.indexOf('"', end + 1);
    }
    if (end < 0) return false;
    let after = end + 1;
    while (isBlank(line.charCodeAt(after))) after += 1;
    visit({ start, end, isKey: line.charCodeAt(after) === COLON, escaped });
    at = end + 1;
  }
}

function isBetween(line: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (BETWEEN[line.charCodeAt(at)] !== 1) return false;
  return true;
}

function isEscaped(line: string, at: number): boolean {
  let slashes = 0;
  while (line.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13;
}

/** The content of a literal; `undefined` when it is not valid. */
export function decodeLiteral(line: string, literal: Literal): string | undefined {
  const content = line.slice(literal.start, literal.end);
  if (!literal.escaped) return content;
  try {
    const text: unknown = JSON.parse(`"${content}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the literal is the value of the key that ends at `keyEnd`, or in a flat array that is. */
export function belongsTo(line: string, keyEnd: number, literal: Literal): boolean {
  let listed = false;
  let inString = false;
  for (let at = keyEnd + 1; at < literal.start - 1; at++) {
    const code = line.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (line[at] === "[" && !listed) listed = true;
    else if (!isBlank(code) && code !== COLON && !(listed && line[at] === ",")) return false;
  }
  return true;
}

/** The keys and indices from the top of the line to the literal whose content begins at `start`. */
export function pathOf(line: string, start: number): string[] {
  let found: string[] = [];
  eachPlace(line.slice(0, line.indexOf('"', start) + 1), (literal, path) => {
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
