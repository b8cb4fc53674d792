import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createRedactor } from "./index.ts";

const root = join(import.meta.dirname, "../../../..");
const captures = join(root, "../shared/lab/captures");
const redactor = createRedactor();

/**
 * Kinds of changed lines that are right, or cheaper to mask than to tell apart. A line that is none of these is a fault
 * to be looked at, however few there are.
 */
const defended: readonly (readonly [RegExp, string])[] = [
  [/:\/\/[^/\s]*\[REDACTED\]@/u, "URL with userinfo: an example's password looks like anyone's"],
  [
    /EXAMPLE|AQoDYXdz|VERYLONGSECRET|aorvJYub|aoal-|eyJ|Atza%7C/u,
    "example credentials in documentation of AWS",
  ],
  [/sha-?\d+|pubkey/iu, "a digest behind the word key"],
  [/"credential":"\[REDACTED\]"/u, "a word under a JSON key that is named like a secret"],
  [
    /x509|X509|SigV4|OAuth2|_is_|_in_|_a_|Base64/u,
    "a long name in code with digits in it, behind a name for a secret",
  ],
];

interface Change {
  file: string;
  rule: string;
  line: string;
}

function changesIn(
  folder: string,
  files: readonly string[],
): { changes: Change[]; lines: number; bytes: number } {
  const changes: Change[] = [];
  let lines = 0;
  let bytes = 0;
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8");
    bytes += text.length;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
    let last = -1;
    for (const { rule, start, end } of redactor.findings(text)) {
      const from = text.lastIndexOf("\n", start - 1) + 1;
      if (from === last) continue;
      last = from;
      const around =
        text.slice(Math.max(from, start - 60), start) +
        "[REDACTED]" +
        text.slice(end, end + 40).split("\n", 1)[0];
      changes.push({ file, rule, line: `${around} << ${text.slice(start, Math.min(end, start + 50))}` });
    }
  }
  return { changes, lines, bytes };
}

test("at most one line in 5,000 of the installed packages is changed, each of a defended kind", (t) => {
  const all = globSync("**/*.{ts,js,mjs,cjs,md,json,yml,yaml}", { cwd: join(root, "node_modules") }).sort();
  const every = process.env["REDACT_ALL_FILES"] !== undefined;
  const files = all.filter(
    (file, index) => (every || index % 3 !== 0) && statSync(join(root, "node_modules", file)).isFile(),
  );
  const { changes, lines, bytes } = changesIn(join(root, "node_modules"), files);
  for (const { file, rule, line } of changes) t.diagnostic(`${rule} | ${file.slice(-40)} | ${line}`);
  t.diagnostic(`${changes.length} of ${lines} lines in ${(bytes / 1e6).toFixed(0)} MB changed`);
  assert.ok(bytes > 50e6, `${bytes} bytes read`);
  assert.ok(changes.length * 5000 <= lines, `${changes.length} of ${lines} lines changed`);
  const strange = changes.filter(({ line }) => !defended.some(([kind]) => kind.test(line)));
  assert.ok(strange.length * 50_000 <= lines, `undefended:\n${strange.map(({ line }) => line).join("\n")}`);
});

test(
  "in captures of agents only the keys that were put into them are changed",
  { skip: !existsSync(captures) && "no captures here" },
  (t) => {
    let lines = 0;
    for (const file of globSync("**/*.{json,jsonl,txt,log}", { cwd: captures })) {
      const each = redactor.lines();
      for (const line of readFileSync(join(captures, file), "utf8").split("\n")) {
        lines += 1;
        const masked = each.json(line);
        if (masked === line) continue;
        t.diagnostic(`${file}: ${masked.slice(0, 160)}`);
        assert.match(line, /sk-ant-fake-|fake-key|"?ANTHROPIC_API_KEY/u);
      }
    }
    assert.ok(lines > 5000, `${lines} lines read`);
  },
);
