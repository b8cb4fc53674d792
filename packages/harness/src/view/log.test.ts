import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { createLogRenderer } from "./log.ts";
import { renderRuns } from "./runs.ts";
import { width } from "./text.ts";
import { assertGolden } from "./testing/golden.ts";
import { failedPage, finishedPage, runRow } from "./testing/pages.ts";

const golden = (name: string): string => join(import.meta.dirname, "golden", name);
const plain = { color: false, width: 80, timeZone: "UTC" };

test("H-85 H-86 H-87 H-88 H-89 a finished run: a line for each event, then the result block", () => {
  assertGolden(golden("finished-80.txt"), createLogRenderer(plain).page(finishedPage));
});

test("a run that failed says why in its result block", () => {
  assertGolden(golden("failed-80.txt"), createLogRenderer(plain).page(failedPage));
});

test("without a width nothing is cut", () => {
  assertGolden(golden("finished-wide.txt"), createLogRenderer({ ...plain, width: 0 }).page(finishedPage));
});

test("colour adds escape sequences of ours and changes no text", () => {
  const colored = createLogRenderer({ ...plain, color: true })
    .page(finishedPage)
    .join("\n");
  assert.ok(colored.includes("\u001b[31m"));
  // oxlint-disable-next-line no-control-regex -- it takes our own sequences out again
  const text = colored.replaceAll(/\u001b\[\d+m/g, "");
  assert.equal(text, createLogRenderer(plain).page(finishedPage).join("\n"));
});

test("H-94 stderr lines stand where they came in, marked as stderr", () => {
  const lines = createLogRenderer(plain).page(finishedPage);
  const at = lines.findIndex((line) => line.includes("stderr"));
  assert.equal(lines[at], "22:48:10  stderr   warning: deprecated option");
  assert.match(lines[at - 1] ?? "", /^22:48:09 {2}call/);
});

test("a live run is written page by page: one header, one result block", () => {
  const renderer = createLogRenderer(plain);
  const first = renderer.page({
    ...finishedPage,
    entries: finishedPage.entries.slice(0, 3),
    complete: false,
    notices: [],
  });
  const second = renderer.page({ ...finishedPage, entries: finishedPage.entries.slice(3) });
  const third = renderer.page({ ...finishedPage, entries: [] });
  assert.match(first[0] ?? "", /^nightly-triage run 12/);
  assert.equal(first.length, 4);
  assert.equal(second.filter((line) => line.startsWith("outcome")).length, 1);
  assert.deepEqual(third, []);
});

test("whatever an agent wrote, no control character passes and no line is wider than the terminal", () => {
  const text = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 20, max: 120 }), (summary, path, columns) => {
      const entries = finishedPage.entries.map((entry) =>
        entry.type === "item" && entry.item.type === "tool_call"
          ? {
              ...entry,
              item: { ...entry.item, tool: summary, summary, targets: [{ path, touch: "edit" as const }] },
            }
          : { ...entry, text: summary },
      );
      const run = { ...runRow, reason: summary };
      const lines = createLogRenderer({ ...plain, width: columns }).page({ ...finishedPage, run, entries });
      for (const line of lines) {
        // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
        assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
        assert.ok(width(line) <= columns, `${width(line)} > ${columns}: ${line}`);
      }
    }),
  );
});

const rows = [
  finishedPage.run,
  failedPage.run,
  { ...failedPage.run, harness: "docs", runId: 3, traceMissing: true, models: [] },
  { ...runRow, harness: "a-harness-with-a-rather-long-name", runId: 1204, costNanoUsd: 40_000 },
];
const { exitCode: _code, durationMs: _took, endedAt: _end, reason: _reason, ...begun } = failedPage.run;
const open = { ...begun, harness: "open", outcome: "running" as const };

test("the table of runs", () => {
  assertGolden(golden("runs-80.txt"), renderRuns([open, ...rows], { ...plain, wide: false }));
});

test("the wide table of runs has tokens, model and trigger", () => {
  assertGolden(golden("runs-wide.txt"), renderRuns(rows, { ...plain, width: 0, wide: true }));
});

test("without a daemon nobody knows whether an open run still runs", () => {
  assert.match(renderRuns([open], { ...plain, wide: false, unsure: true })[1] ?? "", / running\?  /);
});
