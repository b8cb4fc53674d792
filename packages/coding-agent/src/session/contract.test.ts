import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contractFiles } from "../testing/contract.ts";

test("the shipped schemas and the golden run are what the code makes", async () => {
  for (const [file, text] of await contractFiles())
    assert.equal(
      readFileSync(join(import.meta.dirname, "..", "..", file), "utf8"),
      text,
      `${file} is old: run scripts/contract.ts, and read what changed`,
    );
});
