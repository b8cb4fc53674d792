/**
 * Checks the rules of the redactor and writes the keyword table that ships with them.
 * Usage: `npx -c 'node scripts/redact/main.ts'` after every change of a rule or context scanner.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILT_IN } from "../../packages/agent-trace/src/redact/rules/all.ts";
import { compileRules } from "../../packages/agent-trace/src/redact/rules/build.ts";

const target = join(import.meta.dirname, "../../packages/agent-trace/src/redact/rules/compiled.ts");

/** Counts every three characters of the source and documentation that is installed: text as agents read it. */
function countLetters(): Map<string, number> {
  const counts = new Map<string, number>();
  const root = join(import.meta.dirname, "../..");
  const files = globSync("{docs,packages/*/src,node_modules/*}/**/*.{ts,js,md,json}", { cwd: root }).sort();
  for (const file of files.filter((_, index) => index % 20 === 0)) {
    const text = readFileSync(join(root, file), "utf8").slice(0, 20_000).toLowerCase();
    for (let at = 0; at + 3 <= text.length; at++) {
      const letters = text.slice(at, at + 3);
      counts.set(letters, (counts.get(letters) ?? 0) + 1);
    }
  }
  return counts;
}

const counts = countLetters();
const { keywords, hash } = compileRules(BUILT_IN, (letters) => counts.get(letters) ?? 0);

writeFileSync(
  target,
  [
    "// Written by scripts/redact/main.ts from the rules; not edited by hand.\n",
    "/** Keywords, one a line, with the offsets of their anchors and the numbers of the rules and scanners they call. */",
    `export const KEYWORDS =\n  ${JSON.stringify(keywords)};\n`,
    "/** SHA-256 over the rules, its first 16 digits. */",
    `export const HASH = ${JSON.stringify(hash)};\n`,
  ].join("\n"),
);
console.log(`${keywords.split("\n").length} keywords, hash ${hash}`);
