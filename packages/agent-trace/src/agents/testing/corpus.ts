import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { object, parseJson, type JsonObject } from "../../jsonline.ts";

/** Real records beside the repository, with what each truly contains; absent in most places. */
const folder =
  process.env["AGENT_TRACE_CORPUS"] ?? join(import.meta.dirname, "../../../../../../shared/corpus");

export const hasCorpus = existsSync(join(folder, "truth.json"));
export const corpusSkip = hasCorpus ? false : "no corpus beside the repository";

export interface CorpusFile {
  name: string;
  path: string;
  truth: JsonObject;
}

/** The files of one folder of the corpus. */
export const corpusFiles = (prefix: string): CorpusFile[] => {
  if (!hasCorpus) return [];
  const truths = object(parseJson(readFileSync(join(folder, "truth.json"), "utf8"))) ?? {};
  return Object.entries(truths).flatMap(([name, truth]): CorpusFile[] => {
    const path = join(folder, name);
    return name.startsWith(prefix) && existsSync(path) ? [{ name, path, truth: object(truth) ?? {} }] : [];
  });
};

/** One thing that is not as the truth says. */
export interface Difference {
  file: string;
  what: string;
  truth: unknown;
  read: unknown;
}

/** Collects differences; `table()` is what a test compares with the empty list. */
export class Differences {
  readonly found: Difference[] = [];

  /** Compares where the truth says something. */
  check(file: string, what: string, truth: unknown, read: unknown): void {
    if (truth === undefined || truth === null) return;
    if (JSON.stringify(truth) !== JSON.stringify(read)) this.found.push({ file, what, truth, read });
  }
}

export const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce((total: number, value) => total + (value ?? 0), 0);

/** How often each name occurs, names sorted. */
export const tally = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
