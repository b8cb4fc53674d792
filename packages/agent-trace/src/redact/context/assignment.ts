import { mayLeadToValue } from "../engine/lead.ts";
import type { Detector } from "../engine/scan.ts";
import { changes, entropyOf, looksNamed } from "../engine/judge.ts";
import { secretName } from "./names.ts";
import { type Binding, isBareSecret, isPlaceholder, isQuotedSecret, readValue } from "./value.ts";

/** Parts of names that say that a secret may follow. */
export const NAME_WORDS = ["pass", "pw", "secret", "token", "cred", "auth", "key", "jwt"] as const;

const NAME_LONGEST = 64;
const BACKSLASH = 92;

/** Values behind secret names: `NAME=x`, `name: x`, `"name": "x"`, `--name x`, `?name=x`. */
export const assignments: Detector = {
  id: "secret-assignment",
  proving: false,
  may(text, start, end) {
    let right = end;
    while (right - end < NAME_LONGEST && isNameUnit(text.charCodeAt(right))) right += 1;
    let left = start;
    while (start - left < NAME_LONGEST && isNameUnit(text.charCodeAt(left - 1))) left -= 1;
    // What stands behind a backslash may be the letter of an escape.
    if (text.charCodeAt(left - 1) === BACKSLASH) return true;
    if (!mayBeOperator(text.charCodeAt(right)) && text[left] !== "-") return false;
    return secretName(nameAt(text, left, right)) !== undefined;
  },
  detect(scan, start, end) {
    const { text } = scan;
    let right = end;
    while (right - end < NAME_LONGEST && isNameUnit(text.charCodeAt(right))) right += 1;
    const bound = readOperator(text, right);
    let left = start;
    while (start - left < NAME_LONGEST && isNameUnit(text.charCodeAt(left - 1))) left -= 1;
    const flag = text[left] === "-";
    if (bound === undefined && !flag) return;
    const name = nameAt(text, left, right);
    const strength = secretName(name);
    if (strength === undefined) return;
    const at = bound?.at ?? flagValueAt(text, left, right);
    if (at === undefined) return;
    const value = readValue(text, at);
    if (value === undefined || value.text.includes("[REDACTED]")) return;
    const capitals = name === name.toUpperCase();
    const secret = value.quoted
      ? isQuotedSecret(value.text, strength, bound?.quoted === true || capitals || flag)
      : bound?.quoted !== true &&
        isBareSecret(value, strength, bindingOf(text, left, name, bound, flag), startsLine(text, left));
    if (secret) scan.add("secret-assignment", value.start, value.end);
  },
};

function nameAt(text: string, left: number, right: number): string {
  return text.slice(left, right).replace(/^[-.$]+/u, "");
}

interface Operator {
  /** Where the value begins. */
  at: number;
  /** The name was quoted. */
  quoted: boolean;
  sign: string;
  /** No blanks around the sign. */
  tight: boolean;
}

const OPERATOR_BEGINS = new Set(Array.from("\"':=? \t`\\", (char) => char.charCodeAt(0)));

function mayBeOperator(code: number): boolean {
  return OPERATOR_BEGINS.has(code);
}

const OPERATOR = /(\\{0,4}["'`]\]?)?([ \t]{0,8})(:=|=>|\?=|=(?!=)|:(?!:))([ \t]{0,8})/uy;

function readOperator(text: string, at: number): Operator | undefined {
  // Most names end here.
  if (!mayBeOperator(text.charCodeAt(at))) return undefined;
  OPERATOR.lastIndex = at;
  const match = OPERATOR.exec(text);
  if (match === null) return undefined;
  const tight = match[2] === "" && match[4] === "";
  return { at: OPERATOR.lastIndex, quoted: match[1] !== undefined, sign: match[3] ?? "", tight };
}

/** `--name value`; a single hyphen is a flag of words only for Java-like tools, which use it with an operator. */
function flagValueAt(text: string, left: number, right: number): number | undefined {
  if (text[left] !== "-" || text[left + 1] !== "-") return undefined;
  let at = right;
  while (text[at] === " " && at - right < 4) at += 1;
  return at === right || text[at] === "-" || text[at] === "[" ? undefined : at;
}

function bindingOf(
  text: string,
  left: number,
  name: string,
  bound: Operator | undefined,
  flag: boolean,
): Binding {
  if (flag && (bound === undefined || bound.sign === "=")) return "flag";
  if (bound?.sign === "=" && bound.tight) {
    if (/^[A-Z][A-Z0-9_]*$/u.test(name)) return "env";
    const before = text[left - 1];
    return before === "?" || before === "&" || before === ";" ? "query" : "tight";
  }
  return bound?.sign === ":" && /^x-/iu.test(name) ? "header" : "loose";
}

function startsLine(text: string, left: number): boolean {
  let at = left - 1;
  while (text[at] === " " || text[at] === "\t" || text[at] === "-" || text[at] === "+") at -= 1;
  return at < 0 || text[at] === "\n";
}

function isNameUnit(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  );
}

/** Words that a value drawn at random may follow at some distance. */
export const GENERIC_WORDS = ["access", "api", "auth", "cred", "key", "passw", "secret", "token"] as const;

const GENERIC =
  /[\s\w.'"-]{0,28}(?:=>|\?=|\|\||:{1,3}=|[=>:,])[\s'"=`]{0,5}([\w.=+/-]{10,512})(?![\w.+/-]|\[REDACTED\])/uy;
const GENERIC_REACH = 28;
const GENERIC_SHORTEST = 10;

/** A value of high entropy not far behind a word for a secret, where no name says it exactly. */
export const genericSecrets: Detector = {
  id: "generic-secret",
  proving: false,
  may: (text, _start, end) => mayLeadToValue(text, end, GENERIC_REACH, GENERIC_SHORTEST),
  detect(scan, _start, end) {
    GENERIC.lastIndex = end;
    const value = GENERIC.exec(scan.text)?.[1];
    if (value === undefined || isPlaceholder(value) || entropyOf(value) <= 3.5) return;
    const mixed = changes(value);
    if (!(mixed > 0.42 || (mixed > 0.25 && /\d/u.test(value)))) return;
    if (looksNamed(value)) return;
    if (/^[\w-]+(?:[./][\w-]+)+$/u.test(value) && mixed < 0.5) return;
    scan.add("generic-secret", GENERIC.lastIndex - value.length, GENERIC.lastIndex);
  },
};
