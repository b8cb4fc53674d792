import { existsSync, watch, type FSWatcher } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

export interface FollowOptions {
  /** Folders whose changes call for a poll at once, where the system tells of them. */
  folders: readonly string[];
  /** Longest time between two polls. */
  everyMs: number;
  signal: AbortSignal;
}

/** Least time between two polls, so that a burst of events is one poll. */
const settleMs = 100;

/** Calls `poll` whenever a folder changes, and every `everyMs` all the same, until the signal says to stop. */
export const follow = async (poll: () => void, options: FollowOptions): Promise<void> => {
  let wake: (() => void) | undefined;
  const watchers = options.folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => watched(folder, () => wake?.()));
  try {
    while (!options.signal.aborted) {
      poll();
      const woken = new AbortController();
      wake = () => woken.abort();
      await slept(options.everyMs, AbortSignal.any([options.signal, woken.signal]));
      if (woken.signal.aborted) await slept(settleMs, options.signal);
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
};

const slept = (ms: number, signal: AbortSignal): Promise<unknown> =>
  wait(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });

/** A system that has no events for a folder leaves it to the polls. */
const watched = (folder: string, onChange: () => void): FSWatcher[] => {
  try {
    const watcher = watch(folder, { recursive: true }, onChange);
    watcher.on("error", () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
};
