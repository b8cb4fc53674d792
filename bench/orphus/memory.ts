import { join } from "node:path";
import { peakMemory } from "../peak.ts";
import { generateSession } from "./generate.ts";

const fileBytes = 1e9;

/** As `bin/orphus` starts the program. */
const heapFlags = ["--max-semi-space-size=2"];

const built = join(import.meta.dirname, "../../packages/coding-agent/dist/index.js");

/** Opens a session as the installed program does. */
const module = `
  const [, built, path] = process.argv;
  const { createAgentSession } = await import(built);
  const { session } = await createAgentSession({ session: { kind: "file", path } });
  if (session.entries.length < 1000) throw new Error("the session was not read");
`;

/** Prints the peak memory of opening a session of 1 GB. Throws where the packages are not built. */
export const measureMemory = (folder: string): void => {
  const path = join(folder, "large.jsonl");
  const bytes = generateSession(path, fileBytes);
  const peak = peakMemory({ module, args: [built, path], heapFlags });
  console.log(`peak memory on opening ${Math.round(bytes / 1e6)} MB: ${peak} MB (limit 120 MB)`);
};
