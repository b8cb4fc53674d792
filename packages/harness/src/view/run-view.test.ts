import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { logPage } from "../query/log-page.ts";
import { streamAgent } from "../record/stream-agent.ts";
import { createLab } from "../record/testing/run-lab.ts";
import { exactUsd } from "./amounts.ts";
import { createLogRenderer } from "./log.ts";
import { assertGolden } from "./testing/golden.ts";

const fixtures = join(import.meta.dirname, "..", "record", "fixtures", "claude-code");

for (const [name, code] of [
  ["basic", 0],
  ["subagent", 0],
  ["error-401", 1],
  ["killed-sigint", 0],
] as const) {
  test(`H-84 H-89 the view of a captured run, from the store: ${name}`, async (t) => {
    const stdout = readFileSync(join(fixtures, `${name}.jsonl`), "utf8");
    const first = /"timestamp":"([^"]+)"/.exec(stdout)?.[1] ?? "";
    const lab = createLab(t, Date.parse(first) - 1000);
    const ref = lab.run();
    const intake = lab.intake(ref, {}, { streamAgent: streamAgent("claude-code") });
    const { record } = await lab.play(ref, intake, stdout, { code, at: lab.clock.now() + 4_200 });
    const page = logPage({ store: lab.store.read, paths: lab.paths }, { name: ref.harness });
    const lines = createLogRenderer({ color: false, width: 80, timeZone: "UTC" }).page(page);
    assertGolden(join(import.meta.dirname, "golden", `run-${name}.txt`), lines);
    const cost = lines.find((line) => line.startsWith("cost"));
    const stored = record.totals.costNanoUsd;
    assert.ok(cost?.includes(stored === undefined ? "not known" : exactUsd(stored)));
  });
}
