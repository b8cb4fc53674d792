import { parse } from "smol-toml";
import type { Rule, RuleSet } from "./rule.ts";

/** Reads a rule file in the field's TOML form. Throws an error that names the rule that cannot be used. */
export function parseRuleFile(toml: string): RuleSet {
  const { rules } = parse(toml);
  const read: Rule[] = [];
  for (const rule of Array.isArray(rules) ? rules : []) {
    if (typeof rule !== "object" || Array.isArray(rule) || rule instanceof Date) continue;
    const { id, regex, keywords } = rule;
    if (typeof id !== "string" || typeof regex !== "string") continue;
    const words = Array.isArray(keywords) ? keywords.filter((word) => typeof word === "string") : [];
    read.push({ id, regex, keywords: words.map((word) => word.toLowerCase()) });
  }
  return { version: "file", rules: read };
}
