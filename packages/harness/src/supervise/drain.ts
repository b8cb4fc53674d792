import type { Clock } from "../base/clock.ts";

/** How often a drain looks whether its readers have got on. */
export const LOOK_MS = 100;
/** It gives up after this long without any progress … */
export const QUIET_MS = 2000;
/** … and after this long in all. */
export const DRAIN_LIMIT_MS = 60_000;

/**
 * Waits for what is left in the pipes once a run's leader is gone. A process that outlives it can hold a pipe open for
 * good, so waiting ends; but a reader that gets on is waited for.
 *
 * Quiet is counted in looks, not by the clock: one slow step of ours delays a look, and behind it the bytes that arrived
 * meanwhile are seen before the next.
 */
export class Drain {
  readonly #clock: Clock;
  #progress = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Bytes have arrived, or have been dealt with. */
  progressed(): void {
    this.#progress += 1;
  }

  /** Resolves when `complete` does, or when the drain gives up; to whether it was complete. */
  async wait(complete: Promise<unknown>): Promise<boolean> {
    const finished = complete.then(() => true);
    const deadline = this.#clock.monotonic() + DRAIN_LIMIT_MS;
    let seen = this.#progress;
    let quiet = 0;
    while (quiet < QUIET_MS && this.#clock.monotonic() < deadline) {
      if (await Promise.race([finished, this.#look()])) return true;
      quiet = seen === this.#progress ? quiet + LOOK_MS : 0;
      seen = this.#progress;
    }
    return false;
  }

  #look(): Promise<false> {
    return new Promise((resolve) => {
      this.#clock.after(LOOK_MS, () => resolve(false));
    });
  }
}
