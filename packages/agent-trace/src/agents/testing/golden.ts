import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** With `UPDATE_GOLDEN=1` in the environment the golden files are written anew; read them before they are committed. */
const isUpdating = process.env["UPDATE_GOLDEN"] === "1";

const checkText = (path: string, text: string): void => {
  if (isUpdating) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  assert.ok(existsSync(path), `no golden file ${path}: write it with UPDATE_GOLDEN=1`);
  assert.equal(text, readFileSync(path, "utf8"));
};

/** Compares values with a golden file of one JSON value a line. */
export const checkGoldenLines = (path: string, values: readonly unknown[]): void => {
  checkText(path, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
};

/** Compares a value with a golden JSON file. */
export const checkGoldenJson = (path: string, value: unknown): void => {
  checkText(path, `${JSON.stringify(value, null, 2)}\n`);
};
