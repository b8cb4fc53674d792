import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Compares text with a golden file. `UPDATE_GOLDEN=1` writes the file; read it before it is committed. */
export const matchesGolden = (file: string, text: string): void => {
  if (process.env["UPDATE_GOLDEN"] === "1" && (!existsSync(file) || readFileSync(file, "utf8") !== text)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  assert.equal(text, readFileSync(file, "utf8"), file);
};
