import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import type { TraceItem } from "../../item.ts";
import { normalizeText, readTranscript, settled } from "../../testing/collect.ts";
import { matchesGolden } from "../../testing/golden.ts";
import { mutated } from "../../testing/mutations.ts";
import { schemaErrors } from "../../testing/schema.ts";
import { orphus } from "./index.ts";

/** One run in both forms: orphus's own golden files are copied here, so that this package needs no other. */
const fixtures = join(import.meta.dirname, "fixtures");
const file = join(fixtures, "triage.session.jsonl");
const lines = readFileSync(file, "utf8").split("\n");

test("the session file of the golden run gives the items of its golden file", () => {
  const { items, unreads } = readTranscript(orphus, file);
  assert.deepEqual(unreads, []);
  for (const item of items) assert.deepEqual(schemaErrors(item), []);
  const golden = join(import.meta.dirname, "golden", "triage.session.jsonl");
  matchesGolden(golden, items.map((item) => `${JSON.stringify(item)}\n`).join(""));
});

test("stream and session file agree on every item both carry, field by field", () => {
  const bare = (items: readonly TraceItem[]) =>
    new Map(
      settled(items)
        .filter(({ type, key }) => type !== "session" && !key.startsWith("api_retry"))
        .map(({ seq: _seq, rev: _rev, ...item }) => [`${item.type} ${item.key}`, item]),
    );
  const stream = bare(normalizeText(readFileSync(join(fixtures, "triage.stream.jsonl"), "utf8")).items);
  const kept = bare(readTranscript(orphus, file).items);
  assert.ok(stream.size > 10);
  assert.deepEqual([...stream.keys()].sort(), [...kept.keys()].sort());
  for (const [id, item] of stream) assert.deepEqual(kept.get(id), item, id);
});

test("a reader made from another's state goes on as that one would have", () => {
  assert.deepEqual(readTranscript(orphus, file, lines, true).items, readTranscript(orphus, file).items);
});

test("no damage to a session file makes its reader throw or give an item the schema refuses", () => {
  fc.assert(
    fc.property(mutated(lines), (damaged) => {
      for (const item of readTranscript(orphus, file, damaged).items)
        assert.deepEqual(schemaErrors(item), [], JSON.stringify(item));
    }),
    { numRuns: 60 },
  );
});

test("session file and stream are told apart, and the file is found by its place", () => {
  assert.equal(orphus.transcript?.kind, "jsonl");
  assert.ok(orphus.transcript.detect(lines));
  const stream = readFileSync(join(fixtures, "triage.stream.jsonl"), "utf8").split("\n");
  assert.equal(orphus.transcript.detect(stream), false);
  assert.deepEqual(orphus.transcript.locate({ home: "/home/dev", env: {} }), [
    "/home/dev/.orphus/agent/sessions",
  ]);
  const path =
    "/home/dev/.orphus/agent/sessions/--home-dev-shop--/2023-11-14T22-13-20-000Z_018bcfe5-6800-7cb0-9f35-e77d61622940.jsonl";
  assert.ok(orphus.transcript.isSessionFile(path));
});

test("each call and each usage names the request it came from, in both sources", () => {
  const stream = normalizeText(readFileSync(join(fixtures, "triage.stream.jsonl"), "utf8")).items;
  const requests = new Map(
    lines
      .filter((line) => line.includes('"orphus.provider.request.v1"'))
      .map((line) => [/"requestId":"([^"]+)"/.exec(line)?.[1], /"sha256":"([^"]+)"/.exec(line)?.[1]]),
  );
  assert.ok(requests.size > 3);
  for (const items of [stream, readTranscript(orphus, file).items]) {
    const caused = settled(items).filter(({ type }) => type === "tool_call" || type === "usage");
    assert.ok(caused.length > 10);
    for (const item of caused) {
      assert.ok((item.type === "tool_call" || item.type === "usage") && item.request !== undefined, item.key);
      assert.equal(requests.get(item.request.id), item.request.sha256);
    }
  }
});

test("a summary of older history is a mark, and its request a usage, in both sources", () => {
  const spent = {
    provider: "scripted",
    model: "scripted-1",
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost: { total: 0.001 } },
    request: { id: "request-1", sha256: "ab" },
  };
  const at = "2023-11-14T22:13:20.000Z";
  const entry = { type: "compaction", id: "e1", parentId: null, timestamp: at, summary: "s", ...spent };
  const event = { type: "compaction_end", timestamp: at, entryId: "e1", tokensBefore: 9, ...spent };
  const [header = ""] = lines;
  const kept = readTranscript(orphus, file, [header, JSON.stringify(entry), ""]).items;
  const told = normalizeText([header, JSON.stringify(event), ""].join("\n")).items;
  for (const items of [kept, told]) {
    assert.deepEqual(
      settled(items)
        .filter(({ type }) => type === "mark" || type === "usage")
        .map((item) => [item.type, item.type === "usage" ? [item.key, item.model, item.request] : item.key]),
      [
        ["usage", ["request-1", "scripted-1", spent.request]],
        ["mark", "compaction:e1"],
      ],
    );
    for (const item of items) assert.deepEqual(schemaErrors(item), []);
  }
});
