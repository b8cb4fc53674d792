import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createNormalizer, readPath, type ReadOptions, type TraceItem } from "../index.ts";
import { createRedactor, parseRuleFile, type Redactor } from "../redact/index.ts";
import { githubToken } from "../redact/testing/fakes.ts";

const token = githubToken(7);
const sessionId = "3f6700f9-b812-40d3-8369-eaea590497fe";
const content = [
  { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: `deploy ${token} house~1234 CLOSED` } },
];
const call = JSON.stringify({
  type: "assistant",
  session_id: sessionId,
  sessionId,
  message: {
    id: "msg_1",
    role: "assistant",
    model: "m",
    content,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  uuid: "28e0beaf-2ce4-45a6-b599-c701355ebff7",
  timestamp: "2026-11-30T21:07:40.000Z",
});
const init = JSON.stringify({
  type: "system",
  subtype: "init",
  session_id: sessionId,
  cwd: "/",
  model: "m",
  tools: [],
});

test("H-148 the library masks by default, by rule files beside that, or by the caller's own redactor", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mask-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, `${sessionId}.jsonl`);
  writeFileSync(path, `${call}\n`);
  const json = (text: string): string => text.replaceAll("CLOSED", "***");
  const own: Redactor = { ...createRedactor(), lines: () => ({ json, text: json, state: () => null }) };
  const rules = [parseRuleFile('[[rules]]\nid = "house"\nregex = "house~([0-9]+)"\nkeywords = ["house"]\n')];
  const ways: [Pick<ReadOptions, "rules" | "redactor">, string][] = [
    [{}, "deploy [REDACTED] house~1234 CLOSED"],
    [{ rules }, "deploy [REDACTED] house~[REDACTED] CLOSED"],
    [{ redactor: own }, `deploy ${token} house~1234 ***`],
  ];
  for (const [masking, expected] of ways) {
    const said: TraceItem[] = [];
    const sink = { item: (item: TraceItem) => said.push(item) };
    readPath(path, sink, { agent: "claude-code", ...masking });
    const normalizer = createNormalizer({ agent: "claude-code", ...masking });
    normalizer.push(Buffer.from(`${init}\n${call}\n`), sink);
    normalizer.end(sink);
    const summaries = said.flatMap((item) => (item.type === "tool_call" ? [item.summary] : []));
    assert.deepEqual(summaries, [expected, expected]);
  }
});
