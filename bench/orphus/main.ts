/**
 * What orphus takes: time of scripted runs of 250, 500 and 1,000 turns, as ratios; with `--memory` also the peak memory of
 * opening a session of 1 GB. Usage: `npm run bench -- orphus [--memory]`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureMemory } from "./memory.ts";
import { compareTurns } from "./replay.ts";

const folder = mkdtempSync(join(tmpdir(), "bench-orphus-"));
try {
  await compareTurns();
  if (process.argv.includes("--memory")) measureMemory(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
