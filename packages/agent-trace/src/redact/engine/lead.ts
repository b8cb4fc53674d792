/** Kinds of ASCII characters between a name and its value. */
const NAME = 1;
const OPERATOR = 2;
const OPENING = 4;
const VALUE = 8;
const kinds = new Uint8Array(128);
for (const [kind, chars] of [
  [NAME, "\t\n\v\f\r '\".-_"],
  [OPERATOR, "=>:,?|"],
  [OPENING, "\t\n\v\f\r '\"=`"],
  [VALUE, "=.+/-_"],
] as const)
  for (const char of chars) kinds[char.charCodeAt(0)] = (kinds[char.charCodeAt(0)] ?? 0) | kind;
for (let code = 48; code < 123; code++)
  if (/\w/u.test(String.fromCharCode(code))) kinds[code] = (kinds[code] ?? 0) | NAME | VALUE;

const BACKSLASH = 92;
const EQUALS = 61;
const MOST_SIGNS = 9;

/**
 * Whether an operator, and behind it a value of at least so many letters, digits and signs, may stand within reach. An
 * escape of JSON, and what is not ASCII, may be anything.
 */
export function mayLeadToValue(text: string, from: number, reach: number, length: number): boolean {
  let at = from;
  let kind = kindAt(text, at);
  while (kind !== undefined && (kind & NAME) !== 0 && at - from < reach) kind = kindAt(text, ++at);
  if (kind === undefined) return true;
  if ((kind & OPERATOR) === 0) return false;
  let missing = length;
  for (
    let signs = 0;
    signs < MOST_SIGNS && kind !== undefined && (kind & (OPERATOR | OPENING)) !== 0;
    signs++
  ) {
    if (text.charCodeAt(at) === EQUALS) missing -= 1;
    kind = kindAt(text, ++at);
  }
  while (kind !== undefined && (kind & VALUE) !== 0 && missing > 0) {
    missing -= 1;
    kind = kindAt(text, ++at);
  }
  return kind === undefined || missing <= 0;
}

/** 0 at the end of the text; `undefined` where anything may stand. */
function kindAt(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at);
  if (code > 127 || code === BACKSLASH) return undefined;
  return kinds[code] ?? 0;
}
