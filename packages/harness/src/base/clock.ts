/** The clocks a daemon lives by: wall time bounds runs and dates records, monotonic time measures. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary point; never goes back. */
  monotonic(): number;
  /** Runs `task` once after `ms`; the returned function cancels it. A timer never keeps the process alive. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
