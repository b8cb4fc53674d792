import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Compares with a golden file; `UPDATE_GOLDEN=1` writes it, to be read before it is committed. */
export const assertGolden = (file: string, lines: readonly string[]): void => {
  const text = `${lines.join("\n")}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  assert.ok(existsSync(file), `${file} is missing; write it with UPDATE_GOLDEN=1`);
  assert.equal(text, readFileSync(file, "utf8"));
};
