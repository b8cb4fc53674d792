import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { MASK, redactCommand, type RedactCommandOptions } from "./index.ts";
import { githubToken, stripeKey } from "./testing/fakes.ts";

async function run(
  options: RedactCommandOptions,
  input = "",
): Promise<{ code: number; out: string; err: string }> {
  const out: Uint8Array[] = [];
  let err = "";
  const code = await redactCommand(options, {
    stdin: ReadableStream.from([Buffer.from(input)]),
    stdout: { write: (data) => out.push(Buffer.from(data)) },
    stderr: { write: (data) => (err += data) },
  });
  return { code, out: Buffer.concat(out).toString(), err };
}

test("redact masks standard input, as text or as lines of JSON", async () => {
  assert.deepEqual(await run({}, `a ${stripeKey()}\nb`), { code: 0, out: `a ${MASK}\nb`, err: "" });
  const line = JSON.stringify({ token: "x", t: `"${stripeKey()}"` });
  assert.equal(
    (await run({ jsonLines: true }, `${line}\n`)).out,
    `${JSON.stringify({ token: MASK, t: `"${MASK}"` })}\n`,
  );
});

test("redact --findings says what stands where, and no secret; the code tells if there was any", async () => {
  const key = githubToken();
  const found = await run({ findings: true }, `x\ny ${key}\n`);
  assert.deepEqual(JSON.parse(found.out), { rule: "github-pat", line: 2, column: 3, length: key.length });
  assert.equal(found.code, 1);
  assert.deepEqual(await run({ findings: true }, "clean\n"), { code: 0, out: "", err: "" });
});

test("redact reads files and a rule file, and names one that it cannot read", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "redact-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [text, rules] = [join(folder, "a.txt"), join(folder, "rules.toml")];
  writeFileSync(text, "house~12345\n");
  writeFileSync(rules, '[[rules]]\nid = "house"\nregex = "house~([0-9]+)"\nkeywords = ["house"]\n');
  assert.equal((await run({ files: [text], rules: [rules] })).out, `house~${MASK}\n`);
  assert.equal((await run({ files: [text] })).out, "house~12345\n");
  const missing = await run({ files: [join(folder, "none.txt")] });
  assert.equal(missing.code, 2);
  assert.match(missing.err, /none\.txt/u);
});

test("H-151 redact --version shows version and hash of the rule set", async () => {
  assert.match((await run({ version: true })).out, /^\d+\.\d+\.\d+ [0-9a-f]{16}\n$/u);
});
