import { join } from "node:path";
import { peakMemory } from "../peak.ts";
import { generate } from "./generate.ts";

const fileBytes = 1e9;

/** As `bin/agent-trace` starts the program. */
const heapFlags = ["--max-semi-space-size=2", "--heap-growing-percent=10"];

const built = join(import.meta.dirname, "../../packages/agent-trace/dist/read/read-path.js");

/** Reads a file as the installed program does. */
const module = `
  const [, built, path] = process.argv;
  const { readPath } = await import(built);
  readPath(path, { item: () => {} });
`;

/** Prints the peak memory of the built reader on a file of 1 GB. Throws where the packages are not built. */
export const measureMemory = (folder: string): void => {
  const path = join(folder, "3f6700f9-b812-40d3-8369-eaea590497fe.jsonl");
  const bytes = generate(path, "claude-code", fileBytes);
  const peak = peakMemory({ module, args: [built, path], heapFlags });
  console.log(`peak memory on ${Math.round(bytes / 1e6)} MB: ${peak} MB (goal 120 MB)`);
};
