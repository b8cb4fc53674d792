import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The files of one run are named by its number: `12.stream.jsonl`, `12.log`, `12.event.json`. */
const runFile = /^(\d+)\.(?:stream\.jsonl|log|event\.json)(?:\.rescan)?$/;

/**
 * Removes the files of all but the `keep` latest runs of a harness that left any. The rows stay in the store. `folder` is
 * the harness's own; one that is not there has nothing to remove.
 */
export const pruneRunFiles = (folder: string, keep: number): void => {
  const files = namesIn(folder).flatMap((name) => {
    const runId = runFile.exec(name)?.[1];
    return runId === undefined ? [] : [{ name, runId: Number(runId) }];
  });
  const latest = [...new Set(files.map(({ runId }) => runId))].sort((a, b) => b - a).slice(0, keep);
  const kept = new Set(latest);
  for (const { name, runId } of files) {
    if (!kept.has(runId)) rmSync(join(folder, name), { force: true });
  }
};

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
};
