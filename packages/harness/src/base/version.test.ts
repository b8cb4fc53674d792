import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { version } from "./version.ts";

test("the program's version is its package's", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  assert.match(text, new RegExp(`^  "version": "${version.replaceAll(".", String.raw`\.`)}",$`, "m"));
});
