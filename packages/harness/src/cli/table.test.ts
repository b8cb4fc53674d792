import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { writeTable, type Column, type Row } from "./table.ts";
import { screen } from "./testing/screen.ts";

const columns: Column[] = [
  { title: "NAME", gives: true },
  { title: "RUN", align: "right" },
  { title: "OUTCOME" },
];

test("columns are aligned under header and rule", () => {
  const output = screen();
  writeTable(output, columns, [
    { cells: ["nightly", "12", { text: "✗ failed", role: "bad" }] },
    { cells: ["a", "3", "✓ success"] },
  ]);
  assert.equal(
    output.text,
    `NAME     RUN  OUTCOME
───────────────────────
nightly   12  ✗ failed
a          3  ✓ success
`,
  );
});

test("on a terminal that is too narrow the giving column is cut, and colour stays within its cell", () => {
  const output = screen({ isTty: true, color: true, columns: 30 });
  writeTable(output, columns, [
    { cells: ["a-very-long-harness-name", "1", { text: "✓ success", role: "good" }] },
  ]);
  const [header, rule, row] = output.text.split("\n");
  assert.equal(
    header,
    "\u001b[1mNAME\u001b[22m            \u001b[1mRUN\u001b[22m  \u001b[1mOUTCOME\u001b[22m",
  );
  assert.equal(rule, `\u001b[2m${"─".repeat(30)}\u001b[22m`);
  assert.equal(row, "a-very-long-h…    1  \u001b[32m✓ success\u001b[39m");
});

test("no cell can break its line or drive the terminal", () => {
  const rows = fc.array(fc.record({ cells: fc.array(fc.string({ unit: "binary" }), { maxLength: 4 }) }), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(rows, fc.integer({ min: 40, max: 120 }), (drawn: Row[], width) => {
      const output = screen({ columns: width });
      writeTable(output, columns, drawn);
      assert.equal(output.text.split("\n").length, 2 + drawn.length + 1);
      assert.doesNotMatch(output.text.replaceAll("\n", ""), /\p{Cc}/u);
    }),
  );
});
