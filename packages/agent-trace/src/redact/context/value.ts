import { changes, looksDrawn, looksNamed } from "../engine/judge.ts";
import type { Strength } from "./names.ts";

/** A value in a text: where it stands, how it is written, and what is behind it. */
export interface Value {
  text: string;
  start: number;
  end: number;
  quoted: boolean;
  /** The unit behind a bare value; empty at the end of the text. */
  next: string;
}

const LONGEST = 4096;
const BARE_END = /[\s"'`,;&|<>(){}[\]\\]/u;

/** Reads a quoted or bare value at `at`. A quote may be escaped, as in JSON inside a string. */
export function readValue(text: string, at: number): Value | undefined {
  let start = at;
  while (text[start] === "\\" && start - at < 8) start += 1;
  const quote = text[start];
  if (quote === '"' || quote === "'" || quote === "`") return readQuoted(text, start + 1, quote, start - at);
  let end = at;
  const limit = Math.min(text.length, at + LONGEST);
  while (end < limit && !BARE_END.test(text[end] ?? "")) end += 1;
  return end === at
    ? undefined
    : { text: text.slice(at, end), start: at, end, quoted: false, next: behind(text, end) };
}

/** The unit behind a value; an escaped line end, as in JSON inside a string, is one, too. */
function behind(text: string, end: number): string {
  const escaped = text[end] === "\\" && (text[end + 1] === "n" || text[end + 1] === "r");
  return escaped ? "\n" : (text[end] ?? "");
}

function readQuoted(text: string, start: number, quote: string, escapes: number): Value | undefined {
  const limit = Math.min(text.length, start + LONGEST);
  let slashes = 0;
  for (let at = start; at < limit; at++) {
    const unit = text[at];
    if (unit === "\n") break;
    if (unit === quote && (escapes === 0 ? slashes % 2 === 0 : slashes <= escapes)) {
      const end = at - (escapes === 0 ? 0 : slashes);
      return { text: text.slice(start, end), start, end, quoted: true, next: text[at + 1] ?? "" };
    }
    slashes = unit === "\\" ? slashes + 1 : 0;
  }
  // Cut off: what there is of it up to the end of the line is the value.
  let end = text.indexOf("\n", start);
  if (end < 0 || end > limit) end = limit;
  return end === start ? undefined : { text: text.slice(start, end), start, end, quoted: true, next: "" };
}

const WORDS =
  /^(?:null|none|nil|undefined|true|false|yes|no|on|off|string|number|boolean|object|any|unknown|bytes?|str|int|void|never|buffer|text|value|required|optional|default|redacted|hidden|masked|example|empty|invalid|missing|expired|basic|bearer|digest|oauth2?|inherit|include|omit|same-origin|function|async|await|return|new|this|self|type|password|passwd|secret|token|key|apikey|credentials?|auth|authorization|input|field|read|write|admin|user|username|private|public|local|session|cookie|header|query|body|is|and|or|to|for|from|with|the|a|an|flag|option|argument|parameter)$/iu;
const PLACEHOLDER =
  /^(?:[$<{%#@]|\[|\*+$|x+$|\.{2,}|…|-+$|_+$|(?:your|my|the|some|an?|insert|enter|put|replace)[-_ ])|\$\{|\{\{|<[a-z]|\[REDACTED|\.\.\./iu;
const NOT_SECRET = /^(?:[\^~]?v?\d+(?:\.[\w*-]+){1,4}|\.{0,2}\/|~\/|[a-z][a-z0-9+.-]*:\/\/|#|\d{1,5}$)/iu;
const DOTTED = /^[A-Za-z_$#][\w$]*(?:[.?!#]+[A-Za-z_$][\w$]*)+[!?]?$/u;
const VARIABLE_NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/u;
const NAME_AND_NUMBER = /^[A-Za-z_$-]+\d{0,3}[A-Za-z]?$/u;

/** Not a value but a place for one, a common word, or a thing that is plainly something else. */
export function isPlaceholder(text: string): boolean {
  return WORDS.test(text) || PLACEHOLDER.test(text);
}

/** A quoted value behind a secret name. `label`: the name was written as data (quoted, or in capitals), not as code. */
export function isQuotedSecret(text: string, strength: Strength, label: boolean): boolean {
  if (text.length < 4 || isPlaceholder(text) || /\s/u.test(text) || VARIABLE_NAME.test(text)) return false;
  if (looksDrawn(text)) return !DOTTED.test(text) || changes(text) > 0.36;
  if (NOT_SECRET.test(text)) return false;
  if (strength === "strong")
    return /[0-9]/u.test(text) || (label && text.length >= 5 && !/^[A-Z][a-z]+$/u.test(text));
  return isMachineMade(text);
}

/** How a bare value is bound to its name. */
export type Binding = "env" | "query" | "flag" | "header" | "tight" | "loose";

/** A bare value behind a secret name: code must not be taken for a value. */
export function isBareSecret(
  value: Value,
  strength: Strength,
  binding: Binding,
  lineStart: boolean,
): boolean {
  const { text, next } = value;
  if (isPlaceholder(text) || next === "(" || next === "[" || next === "{") return false;
  if (DOTTED.test(text) && changes(text) < 0.36) return false;
  if (looksDrawn(text)) return true;
  if (NOT_SECRET.test(text) || text.length < 3) return false;
  if (binding === "env") return !/^\d{1,5}$/u.test(text) && next !== ";" && next !== ",";
  if (binding === "header") return text.length >= 6;
  if (binding === "query") return text.length >= 6 && (strength === "strong" || isMachineMade(text));
  if (next === ";" || next === "," || next === ")") return false;
  const mixed = /\d/u.test(text) && /[^\d.]/u.test(text);
  if (strength === "weak") return isMachineMade(text) && text.length >= 8;
  if (text.length < 5) return false;
  if (/^[A-Z]/u.test(text) && looksNamed(text) && !/^[\r\n]?$/u.test(next)) return false;
  if (mixed || /[!@#%^*+]/u.test(text)) return true;
  const lineEnd = next === "" || next === "\n" || next === "\r";
  return binding === "flag" ? lineEnd || next === " " : lineStart && lineEnd && text === text.toLowerCase();
}

function isMachineMade(text: string): boolean {
  if (text.length < 6 || NOT_SECRET.test(text) || text.includes("=>") || looksNamed(text)) return false;
  if (/\d/u.test(text)) return !NAME_AND_NUMBER.test(text) && (changes(text) > 0.2 || text.length >= 16);
  return text.length >= 12 && changes(text) > 0.36;
}
