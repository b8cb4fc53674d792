import { createHash } from "node:crypto";
import { CONTEXTS } from "../context/all.ts";
import { anchorOf, type Commonness } from "../engine/anchor.ts";
import { regExpSource } from "../engine/matcher.ts";
import { boundsOf } from "../syntax/bounds.ts";
import { leadingLiterals } from "../syntax/literals.ts";
import { type Node, SyntaxNotRead } from "../syntax/node.ts";
import { parseRe2 } from "../syntax/parse.ts";
import { sampleOf } from "../syntax/sample.ts";
import type { Rule, RuleSet } from "./rule.ts";

/** What the build step makes of a rule set, for `compiled.ts`. */
export interface Compiled {
  /**
   * One keyword a line, behind it, each after a tab, the offset of its anchor and the numbers of what it calls: rules,
   * then context scanners.
   */
  keywords: string;
  /** First 16 hex digits of SHA-256 over all rules. */
  hash: string;
}

const MOST_WAYS = 250_000;
const LONGEST_REACH = 20_000;

/**
 * Checks each rule and builds the keyword table, with the anchors that are rarest by the measure given. Throws an error
 * that lists all that is wrong.
 */
export function compileRules(set: RuleSet, commonness?: Commonness): Compiled {
  const problems: string[] = [];
  const calls = new Map<string, Set<number>>();
  const call = (keyword: string, target: number): void => {
    const targets = calls.get(keyword) ?? new Set();
    calls.set(keyword, targets.add(target));
  };
  const ids = new Set<string>();
  for (const [index, rule] of set.rules.entries()) {
    if (ids.has(rule.id)) problems.push(`${rule.id}: the id is used twice`);
    ids.add(rule.id);
    try {
      for (const keyword of checkRule(rule)) call(keyword, index);
    } catch (error) {
      if (!(error instanceof RuleRefused) && !(error instanceof SyntaxNotRead)) throw error;
      problems.push(`${rule.id}: ${error.message}`);
    }
  }
  for (const [index, { keywords }] of CONTEXTS.entries())
    for (const keyword of keywords) call(keyword, set.rules.length + index);
  if (problems.length > 0) throw new RuleRefused(`refused:\n${problems.join("\n")}`);
  const keywords = [...calls.keys()].sort();
  return {
    keywords: keywords
      .map((keyword) => [keyword, anchorOf(keyword, commonness), ...(calls.get(keyword) ?? [])].join("\t"))
      .join("\n"),
    hash: createHash("sha256").update(JSON.stringify(set)).digest("hex").slice(0, 16),
  };
}

/** The sample without its last character, its last two, and so on down to half of it. */
function cutShort(sample: string): string[] {
  return Array.from({ length: Math.ceil(sample.length / 2) }, (_, index) => sample.slice(0, -1 - index));
}

export class RuleRefused extends Error {
  override readonly name = "RuleRefused";
}

/** The keywords of a sound rule. Throws `RuleRefused`. */
export function checkRule(rule: Rule): readonly string[] {
  const node = parseRe2(rule.regex);
  const { reach, ways } = boundsOf(node);
  if (reach > LONGEST_REACH) throw new RuleRefused("a repeat is open or too long; give it an upper end");
  if (ways > MOST_WAYS)
    throw new RuleRefused(`${ways} ways to match from one place; make neighbouring parts differ`);
  const keywords = rule.keywords ?? leadingLiterals(node);
  if (keywords.length === 0) throw new RuleRefused("has no keyword, and does not begin with one");
  for (const keyword of keywords) {
    if (keyword !== keyword.toLowerCase() || /["\\]|[^ -~]/u.test(keyword))
      throw new RuleRefused(`keyword ${keyword} must be lower-case ASCII without quote and backslash`);
    if (keyword.length < 2) throw new RuleRefused(`keyword ${keyword} is too short`);
  }
  checkSamples(rule, node, keywords);
  return keywords;
}

/** A rule must match texts drawn from its own shape where its keyword is, and none that are cut short by one place. */
function checkSamples(rule: Rule, node: Node, keywords: readonly string[]): void {
  const regExp = new RegExp(regExpSource(rule), "yu");
  const [least, most] = rule.lookback ?? [0, 0];
  for (let seed = 1; seed <= 5; seed++) {
    const sample = sampleOf(node, seed);
    regExp.lastIndex = 0;
    if (!regExp.test(sample)) throw new RuleRefused("does not match a text of its own shape");
    const called = keywords.some((keyword) => {
      const at = sample.toLowerCase().indexOf(keyword, least);
      return at >= 0 && at <= most;
    });
    if (!called)
      throw new RuleRefused(`its keywords do not stand where its matches begin: ${keywords.join(", ")}`);
    if (!cutShort(sample).some((miss) => ((regExp.lastIndex = 0), !regExp.test(miss))))
      throw new RuleRefused("still matches when half of the text is cut off");
  }
}
