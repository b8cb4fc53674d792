import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pruneRunFiles } from "./keep-runs.ts";
import { shortFolder } from "./testing/served.ts";

test("H-51 a run's stream goes with its log, oldest first, and nothing else goes", (t) => {
  const folder = shortFolder(t);
  const names = [2, 9, 10, 11].flatMap((runId) => [`${runId}.stream.jsonl`, `${runId}.log`]);
  for (const name of [...names, "12.log", "notes.log", "3.stream.jsonl.bak"])
    writeFileSync(join(folder, name), "");
  pruneRunFiles(folder, 3);
  assert.deepEqual(readdirSync(folder).toSorted(), [
    "10.log",
    "10.stream.jsonl",
    "11.log",
    "11.stream.jsonl",
    "12.log",
    "3.stream.jsonl.bak",
    "notes.log",
  ]);
  pruneRunFiles(join(folder, "not-there"), 3);
});
