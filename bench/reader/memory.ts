import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readPath } from "../../packages/agent-trace/src/read/read-path.ts";
import { generate } from "./generate.ts";

const fileBytes = 1e9;

/** As `bin/agent-trace` starts the program. */
const heapFlags = ["--max-semi-space-size=2", "--heap-growing-percent=10"];

/** Prints the peak memory of a process that reads a file of 1 GB. */
export const measureMemory = (folder: string): void => {
  const path = join(folder, "3f6700f9-b812-40d3-8369-eaea590497fe.jsonl");
  const bytes = generate(path, "claude-code", fileBytes);
  const child = spawnSync(
    process.execPath,
    [...heapFlags, "--conditions=orphus-source", import.meta.filename, path],
    { encoding: "utf8" },
  );
  if (child.status !== 0) throw new Error(child.stderr);
  console.log(`peak memory on ${Math.round(bytes / 1e6)} MB: ${child.stdout.trim()} MB`);
};

if (import.meta.main) {
  readPath(process.argv[2] ?? "", { item: () => {} });
  console.log(Math.round(process.resourceUsage().maxRSS / 1024));
}
