import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { generate } from "./generate.ts";

const fileBytes = 1e9;

/** As `bin/agent-trace` starts the program. */
const heapFlags = ["--max-semi-space-size=2", "--heap-growing-percent=10"];

const built = join(import.meta.dirname, "../../packages/agent-trace/dist/read/read-path.js");

/** Reads a file as the installed program does, and prints the most memory that took, in MB. */
const probe = `
  const [, built, path] = process.argv;
  const { readPath } = await import(built);
  readPath(path, { item: () => {} });
  console.log(Math.round(process.resourceUsage().maxRSS / 1024));
`;

/** Prints the peak memory of the built reader on a file of 1 GB. Throws where the packages are not built. */
export const measureMemory = (folder: string): void => {
  const path = join(folder, "3f6700f9-b812-40d3-8369-eaea590497fe.jsonl");
  const bytes = generate(path, "claude-code", fileBytes);
  const flags = [...heapFlags, "--input-type=module", "--eval", probe];
  const child = spawnSync(process.execPath, [...flags, built, path], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`build the packages first (npm run types)\n${child.stderr}`);
  console.log(`peak memory on ${Math.round(bytes / 1e6)} MB: ${child.stdout.trim()} MB (goal 120 MB)`);
};
