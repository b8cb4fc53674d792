import type { ClockCapability } from "../types.ts";

/** Where fake wall time begins. */
const START_MS = 1_700_000_000_000;

export interface FakeClock extends ClockCapability {
  /** Moves wall and monotonic time on and settles the sleeps that are due, earliest first. */
  advance(ms: number): void;
  /** Sleeps that wait for time to pass. */
  readonly sleeping: number;
}

interface Sleeper {
  due: number;
  wake(): void;
}

/** A clock that stands still until it is told to move. */
export const createFakeClock = (): FakeClock => {
  let elapsedMs = 0;
  let sleepers: Sleeper[] = [];
  return {
    kind: "fake",
    now: () => START_MS + elapsedMs,
    monotonicNow: () => elapsedMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms <= 0) return;
      await new Promise<void>((resolve, reject) => {
        const stop = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          // The reason is whatever the caller aborted with, as the interface says.
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors
          reject(signal?.reason);
        };
        const sleeper = {
          due: elapsedMs + ms,
          wake() {
            signal?.removeEventListener("abort", stop);
            resolve();
          },
        };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", stop, { once: true });
      });
    },
    advance(ms) {
      elapsedMs += ms;
      const due = sleepers.filter((sleeper) => sleeper.due <= elapsedMs).sort((a, b) => a.due - b.due);
      sleepers = sleepers.filter((sleeper) => sleeper.due > elapsedMs);
      for (const sleeper of due) sleeper.wake();
    },
    get sleeping() {
      return sleepers.length;
    },
  };
};
