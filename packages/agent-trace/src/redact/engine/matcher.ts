import { emitRegExp } from "../syntax/emit.ts";
import { parseRe2 } from "../syntax/parse.ts";
import type { Rule } from "../rules/rule.ts";
import { MASK } from "../controls.ts";
import { firstPlaces, mayFollow } from "./follow.ts";
import { mayLeadToValue } from "./lead.ts";
import { entropyOf, looksNamed, looksRandom } from "./judge.ts";
import type { Detector, Scan } from "./scan.ts";

/** Longer than any name of a rule with what may stand between it and its operator. */
const NAME_REACH = 96;
const EDGE_AFTER = "(?![\\w-]|\\[REDACTED\\])";

/** The source of a built-in rule's sticky RegExp. */
export function regExpSource(rule: Rule): string {
  const after = rule.edge === undefined || rule.edge === false ? "" : EDGE_AFTER;
  return `(?:${emitRegExp(parseRe2(rule.regex))})${after}`;
}

/** Tries a bounded rule at the places its keyword points to. The RegExp is made when it is first needed. */
export function ruleDetector(rule: Rule): Detector {
  let made: RegExp | undefined;
  const [least, most] = rule.lookback ?? [0, 0];
  let places: Uint8Array[] | undefined;
  return {
    id: rule.id,
    proving: rule.proving === true,
    may(text, start, end) {
      if (rule.lookback !== undefined) return true;
      places ??= firstPlaces(parseRe2(rule.regex));
      if (!mayFollow(text, end, places, end - start)) return false;
      return rule.assigned !== true || mayLeadToValue(text, end, NAME_REACH, 1);
    },
    detect(scan, hit) {
      made ??= new RegExp(regExpSource(rule), "dyu");
      for (let at = hit - most; at <= hit - least; at++) {
        if (at < 0) continue;
        made.lastIndex = at;
        const match = made.exec(scan.text);
        if (match === null || (rule.edge === true && insideWord(scan.text, at))) continue;
        if (addMatch(rule, match, scan)) return;
      }
    },
  };
}

const ESCAPE_TAIL = /(?:\\[nrtbfv0]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m)$/u;

/** Whether a match that begins here would touch a word. The tail of an escape is none; the mask was one. */
function insideWord(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (before === 93) return text.endsWith(MASK, at);
  if (!isTokenUnit(before) || before === 45) return false;
  return !ESCAPE_TAIL.test(text.slice(Math.max(0, at - 11), at));
}

function addMatch(rule: Rule, match: RegExpExecArray, scan: Scan): boolean {
  let added = false;
  for (const [start, end] of secretSpans(match)) {
    const secret = scan.text.slice(start, end);
    if (secret.includes(MASK)) continue;
    if (rule.entropy !== undefined && match.length <= 2 && entropyOf(secret) <= rule.entropy) continue;
    if (rule.random === true && !isDrawn(rule, secret)) continue;
    scan.add(rule.id, start, rule.edge === undefined ? tokenEnd(scan, end) : end);
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
function tokenEnd(scan: Scan, end: number): number {
  // Matches in one run of characters share its end; it is looked for once.
  const known = scan.notes.get("token-end") ?? 0;
  const from = scan.notes.get("token-from") ?? 0;
  if (end >= from && end < known) return known;
  let at = end;
  while (isTokenUnit(scan.text.charCodeAt(at))) at += 1;
  scan.notes.set("token-from", end).set("token-end", at);
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
