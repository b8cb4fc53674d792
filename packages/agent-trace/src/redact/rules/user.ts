import { entropyOf } from "../engine/judge.ts";
import type { Additions, Detector, Scan } from "../engine/scan.ts";
import type { Allow, FileRule, RuleFile } from "./file.ts";
import { compilePattern, type Pattern, type Spans } from "./pattern.ts";

// A longer text is looked at around each keyword: a linear engine still costs microseconds a character.
const WHOLE = 64 * 1024;
const BEFORE = 4 * 1024;
const BEHIND = 16 * 1024;

/** Detectors of rule files: called by their keywords, or for every text where a rule has none. */
export function fileDetectors(files: readonly RuleFile[]): Additions {
  const called: { detector: Detector; keywords: readonly string[] }[] = [];
  const everywhere: ((scan: Scan) => void)[] = [];
  for (const file of files)
    for (const rule of file.rules) {
      const run = runner(rule, [...rule.allow, ...file.allow]);
      const words = rule.keywords.filter((word) => word !== "");
      // In a line of JSON keywords are looked for as they are written, so they hold nothing that is escaped.
      if (words.length === 0 || words.some((word) => /["\\]|[^ -~]/u.test(word) || word.length > 255))
        everywhere.push((scan) => run(scan, 0, scan.text.length));
      else called.push({ detector: onceEachPart(rule.id, run), keywords: words });
    }
  return { called, everywhere };
}

function onceEachPart(id: string, run: (scan: Scan, from: number, to: number) => void): Detector {
  const note = `file:${id}`;
  return {
    id,
    proving: false,
    detect(scan, start, end) {
      const done = scan.notes.get(note) ?? 0;
      if (start < done) return;
      const whole = scan.text.length <= WHOLE;
      const from = whole ? 0 : Math.max(done - BEFORE, start - BEFORE, 0);
      const to = whole ? scan.text.length : Math.min(scan.text.length, end + BEHIND);
      scan.notes.set(note, to);
      run(scan, from, to);
    },
  };
}

function runner(rule: FileRule, allows: readonly Allow[]): (scan: Scan, from: number, to: number) => void {
  let made: Pattern | undefined;
  const allowed = allowance(rule.id, allows);
  return (scan, from, to) => {
    made ??= compilePattern(rule.regex);
    const text = to === scan.text.length ? scan.text : scan.text.slice(0, to);
    for (const spans of made.matches(text, from)) {
      const span = secretSpan(rule, spans);
      const [match] = spans;
      if (span === undefined || match === undefined) continue;
      const secret = text.slice(...span);
      if (secret.includes("[REDACTED]") || (rule.entropy !== undefined && entropyOf(secret) <= rule.entropy))
        continue;
      if (!allowed(text, match, secret)) scan.add(rule.id, ...span);
    }
  };
}

function secretSpan(rule: FileRule, spans: Spans): [number, number] | undefined {
  if (rule.secretGroup !== undefined) return spans[rule.secretGroup];
  return spans.slice(1).find((span) => span !== undefined && span[1] > span[0]) ?? spans[0];
}

function allowance(
  id: string,
  allows: readonly Allow[],
): (text: string, match: readonly [number, number], secret: string) => boolean {
  const mine = allows
    .filter(({ rules }) => rules.length === 0 || rules.includes(id))
    .map(({ stopwords, target, regexes }) => ({ stopwords, target, patterns: regexes.map(compilePattern) }));
  return (text, [start, end], secret) =>
    mine.some(({ patterns, stopwords, target }) => {
      if (stopwords.some((word) => secret.toLowerCase().includes(word))) return true;
      const looked =
        target === "secret" ? secret : target === "match" ? text.slice(start, end) : lineAt(text, start);
      return patterns.some((pattern) => [...pattern.matches(looked, 0)].length > 0);
    });
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, end < 0 ? text.length : end);
}
