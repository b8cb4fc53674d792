import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { generateSession } from "./generate.ts";

const fileBytes = 1e9;

/** As `bin/orphus` starts the program. */
const heapFlags = ["--max-semi-space-size=2"];

const built = join(import.meta.dirname, "../../packages/coding-agent/dist/index.js");

/** Opens a session as the installed program does, and prints the most memory that took, in MB. */
const probe = `
  const [, built, path] = process.argv;
  const { createAgentSession } = await import(built);
  const { session } = await createAgentSession({ session: { kind: "file", path } });
  if (session.entries.length < 1000) throw new Error("the session was not read");
  console.log(Math.round(process.resourceUsage().maxRSS / 1024));
`;

/** Prints the peak memory of opening a session of 1 GB. Throws where the packages are not built. */
export const measureMemory = (folder: string): void => {
  const path = join(folder, "large.jsonl");
  const bytes = generateSession(path, fileBytes);
  const flags = [...heapFlags, "--input-type=module", "--eval", probe];
  const child = spawnSync(process.execPath, [...flags, built, path], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`build the packages first (npm run types)\n${child.stderr}`);
  console.log(
    `peak memory on opening ${Math.round(bytes / 1e6)} MB: ${child.stdout.trim()} MB (limit 120 MB)`,
  );
};
