import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { isThere, startTimeOf, type ProcessIdentity } from "../base/process-identity.ts";
import { GRACE_MS } from "./ending.ts";

/** The marks that every process of a run carries in its environment. */
export interface StrayMarks {
  harness: string;
  runId: number;
  stateDir: string;
}

/** Ends what a run has left behind when nobody holds it any more: SIGTERM, and SIGKILL after the grace. */
export const endStrays = (marks: StrayMarks, clock: Clock): ProcessIdentity[] => {
  const strays = straysOf(marks);
  send("SIGTERM", strays);
  if (strays.length > 0) {
    clock.after(GRACE_MS, () => send("SIGKILL", [...strays.filter(isThere), ...straysOf(marks)]));
  }
  return strays;
};

/** Found in `/proc` by the marks, which are ours alone to set and which a child that leaves its group still has. */
export const straysOf = (marks: StrayMarks): ProcessIdentity[] =>
  numberedFolders().flatMap((pid) => {
    if (pid === process.pid || !carries(pid, marks)) return [];
    const startTime = startTimeOf(pid);
    return startTime === undefined ? [] : [{ pid, startTime }];
  });

const numberedFolders = (): number[] => {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
};

const carries = (pid: number, { harness, runId, stateDir }: StrayMarks): boolean => {
  const variables = environmentOf(pid);
  return (
    variables.get("HARNESS_NAME") === harness &&
    variables.get("HARNESS_RUN_ID") === String(runId) &&
    variables.get("HARNESS_STATE_DIR") === stateDir
  );
};

/** What a process was started with; empty for one that is gone, or is not ours to look at. */
export const environmentOf = (pid: number): Map<string, string> => {
  try {
    const text = readFileSync(`/proc/${pid}/environ`, "utf8");
    return new Map(
      text
        .split("\0")
        .filter((entry) => entry.includes("="))
        .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
    );
  } catch {
    return new Map();
  }
};

const send = (signal: NodeJS.Signals, processes: readonly ProcessIdentity[]): void => {
  for (const { pid } of processes.filter(isThere)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended since.
    }
  }
};
