import { emitRegExp } from "../syntax/emit.ts";
import { parseRe2 } from "../syntax/parse.ts";
import type { Rule } from "../rules/rule.ts";
import { entropyOf, looksNamed, looksRandom } from "./judge.ts";
import type { Detector, Scan } from "./scan.ts";

// What may stand before a match with an edge: no word character, but the tail of an escape is one that does not count.
const EDGE_BEFORE =
  "(?<=^|[^0-9A-Za-z_]|\\\\[nrtbfv0]|%[0-9A-Fa-f]{2}|\\\\u[0-9A-Fa-f]{4}|\\\\x[0-9A-Fa-f]{2}|\\[[0-9;]{0,8}m)(?<!\\[REDACTED\\])";
const EDGE_AFTER = "(?![\\w-]|\\[REDACTED\\])";

/** The source of a built-in rule's sticky RegExp. */
export function regExpSource(rule: Rule): string {
  const before = rule.edge === true ? EDGE_BEFORE : "";
  const after = rule.edge === undefined || rule.edge === false ? "" : EDGE_AFTER;
  return `${before}(?:${emitRegExp(parseRe2(rule.regex))})${after}`;
}

/** Tries a bounded rule at the places its keyword points to. The RegExp is made when it is first needed. */
export function ruleDetector(rule: Rule): Detector {
  let made: RegExp | undefined;
  const [least, most] = rule.lookback ?? [0, 0];
  return {
    id: rule.id,
    proving: rule.proving === true,
    detect(scan, hit) {
      if (rule.edge === true && rule.lookback === undefined && insideWord(scan.text, hit)) return;
      made ??= new RegExp(regExpSource(rule), "dyu");
      for (let at = hit - most; at <= hit - least; at++) {
        if (at < 0) continue;
        made.lastIndex = at;
        const match = made.exec(scan.text);
        if (match !== null && addMatch(rule, match, scan)) return;
      }
    },
  };
}

/** Quick to say that a place is in the middle of a word; escapes, whose tail does not count, are left to the RegExp. */
function insideWord(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (!isTokenUnit(before) || before === 45) return false;
  for (let i = at - 1; i >= at - 11 && i >= 0; i--) {
    const code = text.charCodeAt(i);
    // A backslash, a percent sign, or the bracket of an escape sequence.
    if (code === 92 || code === 37 || code === 91) return false;
    if (!isTokenUnit(code) && code !== 59) return true;
  }
  return true;
}

function addMatch(rule: Rule, match: RegExpExecArray, scan: Scan): boolean {
  let added = false;
  for (const [start, end] of secretSpans(match)) {
    const secret = scan.text.slice(start, end);
    if (secret.includes("[REDACTED]")) continue;
    if (rule.entropy !== undefined && match.length <= 2 && entropyOf(secret) <= rule.entropy) continue;
    if (rule.random === true && !isDrawn(rule, secret)) continue;
    scan.add(rule.id, start, rule.edge === undefined ? tokenEnd(scan.text, end) : end);
    added = true;
  }
  return added;
}

/** Behind a provider's name a value is believed more than where it stands alone. */
function isDrawn(rule: Rule, secret: string): boolean {
  return looksRandom(secret) && (rule.edge === "end" || !looksNamed(secret));
}

/** The groups that took part, or the whole match where there are none. */
function secretSpans(match: RegExpExecArray): [number, number][] {
  const spans = (match.indices ?? []).slice(1).filter((span) => span !== undefined);
  if (spans.length > 0) return spans;
  return match.length > 1 ? [] : [[match.index, match.index + match[0].length]];
}

/** A secret may be longer than the shape that was known when the rule was written. */
export function tokenEnd(text: string, end: number): number {
  let at = end;
  while (isTokenUnit(text.charCodeAt(at))) at += 1;
  return at;
}

function isTokenUnit(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45
  );
}
