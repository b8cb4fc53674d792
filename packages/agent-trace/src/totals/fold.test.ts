import assert from "node:assert/strict";
import test from "node:test";
import type { UsageItem } from "../item.ts";
import { pinnedPrices } from "../price/table.ts";

import { addTokens, billed, costOfUsage } from "./billed.ts";
import { RecordFold } from "./fold.ts";
import { usageBy } from "./summary.ts";

const priceTable = pinnedPrices();

const usage = (fields: Partial<UsageItem>): UsageItem => ({
  v: 1,
  type: "usage",
  sessionId: "s",
  key: "a",
  rev: 0,
  seq: 0,
  turn: 1,
  model: "claude-sonnet-4-5",
  costSource: "unknown",
  exact: true,
  covers: "response",
  ...fields,
});

test("a sum takes responses, and a turn only where no response of it is exact", () => {
  const turn = usage({ key: "turn:1", covers: "turn", output: 100 });
  const placeholder = usage({ key: "a", exact: false, output: 1 });
  const exact = usage({ key: "b", output: 90 });
  assert.deepEqual(billed([turn, placeholder]), [turn]);
  assert.deepEqual(billed([turn, placeholder, exact]), [placeholder, exact]);
  assert.deepEqual(billed([placeholder]), [placeholder]);
  assert.deepEqual(
    billed([turn, usage({ key: "c", turn: 2, exact: false })]).map(({ key }) => key),
    ["turn:1", "c"],
  );
});

test("unknown stays unknown in a sum", () => {
  assert.deepEqual(addTokens([{ input: 1 }, { input: 2, output: 0 }]), { input: 3, output: 0 });
});

test("a response counts once per machine, in the session that had it first", () => {
  const fold = new RecordFold();
  fold.add(usage({ sessionId: "first", output: 5 }));
  fold.add(usage({ sessionId: "copy", output: 5 }));
  fold.add(usage({ sessionId: "first", output: 7, rev: 1 }));
  fold.add(usage({ sessionId: "first", output: 6, rev: 0 }));
  const [first, copy] = fold.sessions;
  assert.deepEqual([first?.usages.get("a")?.output, copy?.usages.size, copy?.duplicates], [7, 0, 1]);
});

test("a recorded cost stands, a priced one is said to be so, and a model without a price makes the sum unknown", () => {
  const priced = usage({ output: 1_000_000 });
  assert.deepEqual(costOfUsage([priced], priceTable), {
    costNanoUsd: 15e9,
    costSource: "priced",
    unpriced: [],
  });
  const recorded = usage({ costNanoUsd: 5, costSource: "recorded" });
  assert.deepEqual(costOfUsage([recorded], priceTable), {
    costNanoUsd: 5,
    costSource: "recorded",
    unpriced: [],
  });
  const strange = usage({ model: "nobody-knows" });
  assert.deepEqual(costOfUsage([strange], priceTable), { costSource: "unknown", unpriced: ["nobody-knows"] });
  assert.equal(costOfUsage([recorded, strange], priceTable).costSource, "unknown");
  assert.deepEqual(costOfUsage([], priceTable), { costSource: "unknown", unpriced: [] });
});

test("usage is grouped by day, model, agent and project", () => {
  const fold = new RecordFold();
  const head = { v: 1, sessionId: "s", rev: 0, seq: 0 } as const;
  fold.add({ ...head, type: "session", key: "-", agent: "codex", cwd: "/p" });
  fold.add(usage({ key: "a", at: "2026-01-02T00:00:00.000Z", output: 1 }));
  fold.add(usage({ key: "b", at: "2026-01-01T00:00:00.000Z", output: 2, model: "m" }));
  const groups = (by: "day" | "model" | "agent" | "project") =>
    usageBy(fold.sessions, by, priceTable).map(({ group, tokens }) => [group, tokens.output]);
  assert.deepEqual(groups("day"), [
    ["2026-01-01", 2],
    ["2026-01-02", 1],
  ]);
  assert.deepEqual(groups("model"), [
    ["claude-sonnet-4-5", 1],
    ["m", 2],
  ]);
  assert.deepEqual(groups("agent"), [["codex", 3]]);
  assert.deepEqual(groups("project"), [["/p", 3]]);
});
