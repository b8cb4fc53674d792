import { readFileSync } from "node:fs";

/** Names one process for good: a pid alone is used again. */
export interface ProcessIdentity {
  pid: number;
  /** Ticks since boot. Absent where it is not known; then the pid alone must do. */
  startTime?: number;
}

/** Field 22 of proc(5), counted from the field behind the program's name. */
const STARTTIME_AFTER_NAME = 19;

/** Ticks since boot at which a process started; undefined when it is gone, or where there is no `/proc`. */
export const startTimeOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name stands in brackets and may hold anything, brackets and spaces too.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const startTime = Number(fields[STARTTIME_AFTER_NAME]);
    return Number.isSafeInteger(startTime) ? startTime : undefined;
  } catch {
    return undefined;
  }
};

/** Whether the very process is still there, a zombie included. */
export const isThere = ({ pid, startTime }: ProcessIdentity): boolean => {
  const now = startTimeOf(pid);
  return now !== undefined && (startTime === undefined || startTime === now);
};
