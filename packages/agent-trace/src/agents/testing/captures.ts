import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What one capture of a run holds: what it printed, and its session files. */
export interface Capture {
  name: string;
  /** Runs of the program, in order: a resumed session has two. */
  streams: string[];
  transcripts: { path: string; text: string }[];
}

/** The captures in an agent's `fixtures/`, each a folder. */
export const captures = (fixtures: string): Capture[] =>
  readdirSync(fixtures, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const folder = join(fixtures, name);
      const files = readdirSync(folder)
        .filter((file) => file.endsWith(".jsonl"))
        .toSorted();
      const read = (file: string): string => readFileSync(join(folder, file), "utf8");
      return {
        name,
        streams: files
          .filter((file) => file.startsWith("stdout"))
          .toSorted(byRun)
          .map(read),
        transcripts: files
          .filter((file) => !file.startsWith("stdout") && file !== "session_index.jsonl")
          .map((file) => ({ path: join(folder, file), text: read(file) })),
      };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** `stdout.jsonl` is the first run, `stdout-2.jsonl` the second. */
const byRun = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);
