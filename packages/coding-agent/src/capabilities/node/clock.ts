import type { ClockCapability } from "../types.ts";

/** The longest time a Node timer can wait; a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      // The reason is whatever the caller aborted with, as the interface says.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });

/** The clock of the machine. */
export const createSystemClock = (): ClockCapability => ({
  kind: "system",
  now: () => Date.now(),
  monotonicNow: () => Number(process.hrtime.bigint() / 1_000_000n),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    for (let left = Math.max(0, ms); ; left -= MAX_TIMER_MS) {
      await wait(Math.min(left, MAX_TIMER_MS), signal);
      if (left <= MAX_TIMER_MS) return;
    }
  },
});
