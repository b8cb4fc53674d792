/**
 * Checks the rules of the redactor and writes the keyword table that ships with them.
 * Usage: `npx -c 'node scripts/redact/main.ts'` after every change of a rule or context scanner.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILT_IN } from "../../packages/agent-trace/src/redact/rules/all.ts";
import { compileRules } from "../../packages/agent-trace/src/redact/rules/build.ts";

const target = join(import.meta.dirname, "../../packages/agent-trace/src/redact/rules/compiled.ts");
const { keywords, automaton, hash } = compileRules(BUILT_IN);

writeFileSync(
  target,
  [
    "// Written by scripts/redact/main.ts from the rules; not edited by hand.\n",
    "/** Keywords, one a line, with the numbers of the rules and scanners they call. */",
    `export const KEYWORDS =\n  ${JSON.stringify(keywords)};\n`,
    "/** Keyword automaton, deflated, in base64. */",
    `export const AUTOMATON =\n  ${JSON.stringify(automaton)};\n`,
    "/** SHA-256 over the rules, its first 16 digits. */",
    `export const HASH = ${JSON.stringify(hash)};\n`,
  ].join("\n"),
);
console.log(`${keywords.split("\n").length} keywords, ${automaton.length} characters of table, hash ${hash}`);
