import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { FILE_BYTES, LINE_BYTES, rawFile } from "./raw-file.ts";

const fileWith = (t: TestContext, text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "raw-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "1.log"), text);
  return join(folder, "1.log");
};

test("a growing file is read on by whole lines", (t) => {
  const path = fileWith(t, "one\ntwo\nhal");
  const file = rawFile(path);
  assert.equal(file.read(), "one\ntwo\n");
  assert.equal(file.read(), "");
  appendFileSync(path, "f\nthree\n");
  assert.equal(file.read(), "half\nthree\n");
});

test("a long line is cut and says how long it was; a long file shows its end from a line's start", (t) => {
  const long = "x".repeat(LINE_BYTES + 5);
  assert.equal(
    rawFile(fileWith(t, `${long}\nend\n`)).read(),
    `${"x".repeat(LINE_BYTES)}… [${LINE_BYTES + 5} bytes]\nend\n`,
  );
  const lines = `${"y".repeat(999)}\n`.repeat(9000);
  const shown = rawFile(fileWith(t, lines)).read();
  assert.equal(shown, `${"y".repeat(999)}\n`.repeat(Math.floor(FILE_BYTES / 1000)));
});
