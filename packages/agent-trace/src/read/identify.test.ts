import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { collector } from "../testing/collect.ts";
import { readPath } from "./read-path.ts";

const agents = join(import.meta.dirname, "..", "agents");
const written = (context: TestContext, name: string, text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "identify-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test("an agent's stream is found in a log with other text, whose lines are counted as unread", (context) => {
  const stream = readFileSync(join(agents, "claude-code/fixtures/basic.stream.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const log = stream.map((line) => `[2026-11-30T21:07:40Z] [INFO] ${line}`).join("\nplain words\n");
  const plain = collector();
  readPath(written(context, "run.jsonl", stream.join("\n")), plain);
  const found = collector();
  const report = readPath(written(context, "run.log", log), found);
  assert.equal(report.outcome, "read");
  assert.deepEqual(found.items, plain.items);
  assert.ok(found.unreads.length >= stream.length - 1);
});

test("records that a log spreads over several lines, the first behind a prefix, are put together", (context) => {
  const text = readFileSync(join(agents, "codex/fixtures/basic/stdout.jsonl"), "utf8").trimEnd();
  const spread = text
    .split("\n")
    .map((line) => `[+00:03] [stdout] ${JSON.stringify(JSON.parse(line), undefined, 2)}`)
    .join("\n[+00:04] [INFO] if (true) {\n  plain words\n");
  const plain = collector();
  readPath(written(context, "run.jsonl", text), plain);
  const found = collector();
  const report = readPath(written(context, "run.txt", `# a log\n${spread}\n`), found);
  assert.equal(report.outcome === "read" ? report.agent : undefined, "codex");
  assert.deepEqual(found.items, plain.items);
  assert.ok(found.unreads.some((line) => line.text.includes("plain words")));
});

test("captured streams of pi and omp are not taken for session files, nor for each other's", (context) => {
  for (const agent of ["pi", "omp"]) {
    const text = readFileSync(join(agents, agent, "fixtures", "basic", "stdout.jsonl"), "utf8");
    const found = collector();
    const report = readPath(written(context, "stdout.jsonl", text), found);
    assert.equal(report.outcome === "read" ? report.agent : undefined, agent);
    assert.ok(found.items.some(({ type }) => type === "result"));
  }
});

test("lines of no agent are nobody's, whatever their file is called", (context) => {
  const report = readPath(written(context, "x.jsonl", '{"hello":1}\n{"type":"other"}\n'), collector());
  assert.equal(report.outcome, "unknown");
});
