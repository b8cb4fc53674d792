/**
 * What orphus takes: time of scripted runs of 250, 500 and 1,000 turns, as ratios, and the peak memory of opening
 * a session of 1 GB with the built packages. Usage: `npm run bench -- orphus`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureMemory } from "./memory.ts";
import { compareTurns } from "./replay.ts";

const folder = mkdtempSync(join(tmpdir(), "bench-orphus-"));
try {
  await compareTurns();
  measureMemory(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
