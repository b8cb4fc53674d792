/**
 * How fast the reader is, as ratios within one run: normalizing against the floor (read the file, split its lines,
 * `JSON.parse` each), with and without masking; `usage` against `ccusage` on the same files; with `--memory` also the peak
 * memory on a file of 1 GB.
 * Usage: `npm run bench -- reader [--memory]`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareFloor } from "./floor.ts";
import { measureMemory } from "./memory.ts";
import { comparePeer } from "./peer.ts";

const folder = mkdtempSync(join(tmpdir(), "bench-reader-"));
try {
  compareFloor(folder);
  comparePeer(folder);
  if (process.argv.includes("--memory")) measureMemory(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
