import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { readTranscript } from "../testing/collect.ts";
import { claudeCode } from "../agents/claude-code/index.ts";
import { normalizeText } from "../testing/collect.ts";
import { object, parseJson } from "../jsonline.ts";
import { RecordFold } from "../totals/fold.ts";
import { costOf, parsePriceTable, priceOf } from "./prices.ts";
import { reconcile } from "./reconcile.ts";
import { pinnedPrices } from "./table.ts";

const priceTable = pinnedPrices();

const fixtures = join(import.meta.dirname, "..", "agents", "claude-code", "fixtures");

test("the table says where it is from, of which day, and has the hash of what it holds", () => {
  assert.match(priceTable.source, /models\.dev/);
  assert.match(priceTable.date, /^\d{4}-\d\d-\d\d$/);
  const hash = createHash("sha256").update(JSON.stringify(priceTable.models)).digest("hex");
  assert.equal(priceTable.sha256, hash);
  const file = object(parseJson(readFileSync(join(import.meta.dirname, "table.json"), "utf8")));
  assert.equal(file?.["sha256"], hash, "the file states the hash of what it holds");
});

test("a model is found under every name that agents give it", () => {
  const price = priceOf(priceTable, "claude-sonnet-4-5");
  assert.ok(price !== undefined);
  for (const name of [
    "claude-sonnet-4-5-20250929",
    "anthropic/claude-sonnet-4-5",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "claude-sonnet-4-5@20250929",
    "claude-sonnet-4-5[1m]",
  ])
    assert.deepEqual(priceOf(priceTable, name), price, name);
  for (const name of ["claude-sonnet-4", "constructor", "__proto__", ""])
    assert.notDeepEqual(priceOf(priceTable, name), price, name);
  assert.equal(priceOf(priceTable, "no-such-model"), undefined);
});

test("five-minute and one-hour cache writes have their own prices, and a cost is rounded once", () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };
  assert.equal(costOf({ cacheWrite5m: 1000, cacheWrite1h: 1000 }, price), 9_750_000);
  assert.equal(costOf({ input: 1 }, { ...price, input: 0.0004 }), 0);
  assert.equal(costOf({ input: 3 }, { ...price, input: 0.0005 }), 2);
});

test("a cost grows with every kind of token and is the sum of its parts to a nano-dollar", () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };
  const tokens = fc.nat(100_000_000);
  fc.assert(
    fc.property(tokens, tokens, tokens, (input, output, cacheRead) => {
      const parts = costOf({ input }, price) + costOf({ output }, price) + costOf({ cacheRead }, price);
      assert.ok(Math.abs(costOf({ input, output, cacheRead }, price) - parts) <= 2);
    }),
  );
});

test("a user's own table replaces the pinned one; what is no table is refused", () => {
  const table = parsePriceTable({
    models: { mine: { input: 1, output: 2 } },
    source: "me",
    date: "2026-01-01",
  });
  assert.deepEqual(table?.models["mine"], {
    input: 1,
    output: 2,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  });
  for (const wrong of [null, [], {}, { models: { a: 1 } }, { models: { a: { input: "x" } } }])
    assert.equal(parsePriceTable(wrong), undefined);
});

test("rule 22 the agent's total and ours are held together, with the difference and what explains it", () => {
  const folder = join(fixtures, "transcripts", "subagent");
  const id = "e9e93d6e-f8db-4f9f-890b-4d4b5d72f8c1";
  const whole = new RecordFold();
  for (const file of [`${id}.jsonl`, `${id}/subagents/agent-a1817fad7a32583a4.jsonl`])
    for (const item of readTranscript(claudeCode, join(folder, file)).items) whole.add(item);
  assert.deepEqual(reconcile(whole.family(id), priceTable), {
    claimedNanoUsd: 8_220_000,
    countedNanoUsd: 8_220_000,
    differenceNanoUsd: 0,
    rule: "equal",
  });
  // Without the sub-agent's file a part is missing.
  const main = whole.family(id).slice(0, 1);
  assert.equal(reconcile(main, priceTable).rule, "requests that are in no record");
  assert.equal(reconcile(main, { ...priceTable, models: {} }).rule, "nothing counted");
});

test("a stream's exact turns stand in for its placeholders, and the sum is the agent's own", () => {
  const fold = new RecordFold();
  for (const item of normalizeText(readFileSync(join(fixtures, "basic.stream.jsonl"), "utf8")).items)
    fold.add(item);
  const [session] = fold.sessions;
  assert.ok(session !== undefined);
  assert.equal(reconcile([session], priceTable).rule, "equal");
});
