import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { repository } from "../support/sandbox.ts";

const fieldsOfAnAgentsStream = ["total_cost_usd", "num_turns"];

/** Sources (no tests) of a package that name `word`. */
const sourcesNaming = (packageName: string, word: string): string[] => {
  const src = join(repository, "packages", packageName, "src");
  return globSync("**/*.ts", { cwd: src, exclude: (name) => name === "testing" || name === "fixtures" })
    .filter((file) => !file.endsWith(".test.ts"))
    .filter((file) => readFileSync(join(src, file), "utf8").includes(word));
};

test("H-35 no source of the supervisor names a field of an agent's stream", () => {
  for (const field of fieldsOfAnAgentsStream) assert.deepEqual(sourcesNaming("harness", field), [], field);
});

test("H-36 the same search finds those fields in the reader library, so it can find", () => {
  for (const field of fieldsOfAnAgentsStream) {
    const found = sourcesNaming("agent-trace", field);
    assert.ok(found.length > 0, field);
    // ATIF has a field of the same name of its own.
    const elsewhere = found.filter((file) => !file.startsWith("agents/") && !file.startsWith("atif/"));
    assert.deepEqual(elsewhere, [], field);
  }
});
