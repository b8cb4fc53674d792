import { readdirSync, readFileSync } from "node:fs";

/** Ticks since boot at which a process started; undefined when it is gone, or where there is no `/proc`. */
export const startTimeOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may hold anything, brackets and spaces too.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const startTime = Number(fields[STARTTIME_AFTER_NAME]);
    return Number.isSafeInteger(startTime) ? startTime : undefined;
  } catch {
    return undefined;
  }
};
/** Field 22 of proc(5), counted from the field behind the name. */
const STARTTIME_AFTER_NAME = 19;

/** Pids of our own children, zombies too, whichever of our threads started them. */
export const ownChildren = (): number[] => {
  try {
    return readdirSync("/proc/self/task").flatMap((thread) => childrenOfThread(thread));
  } catch {
    return [];
  }
};

const childrenOfThread = (thread: string): number[] => {
  try {
    const list = readFileSync(`/proc/self/task/${thread}/children`, "utf8").trim();
    return list === "" ? [] : list.split(" ").map(Number);
  } catch {
    // The thread has ended since it was listed.
    return [];
  }
};

/** Whether any process is in a group; one we may not signal counts. */
export const groupExists = (pgid: number): boolean => {
  try {
    process.kill(-pgid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
};
