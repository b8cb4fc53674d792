import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { VERSION } from "./index.ts";

test("the provider library is imported in provider/ only", () => {
  const files = globSync("**/*.ts", { cwd: import.meta.dirname });
  const importers = files.filter((file) =>
    /from "@earendil-works\/pi-ai|import\("@earendil-works\/pi-ai/u.test(
      readFileSync(join(import.meta.dirname, file), "utf8"),
    ),
  );
  const outside = importers.filter((file) => !file.startsWith("provider") && !file.endsWith(".test.ts"));
  assert.deepEqual([outside, importers.length > 0], [[], true]);
});

test("the version is the package's", () => {
  const text = readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8");
  assert.ok(text.includes(`"version": "${VERSION}"`));
});
