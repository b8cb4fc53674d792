/** A run that ends within this time has crashed early. */
export const CRASH_WINDOW_MS = 10_000;
/** So many early ends in a row are a crash loop. */
export const CRASH_LOOP = 3;
/** The first wait before a restart; it doubles with each early end up to the longest. */
export const FIRST_BACKOFF_MS = 1000;
export const LONGEST_BACKOFF_MS = 30_000;
/** More failures than this in a row, and it is given up. */
export const MOST_FAILURES = 5;
/** A run that has lasted so long was healthy, however it ended. */
export const HEALTHY_MS = 5 * 60_000;

export interface RunOver {
  failed: boolean;
  /** How long it ran. */
  ranMs: number;
}

/** What follows the end of a run that is to be started again. */
export type Next =
  | { restart: true; afterMs: number; looping: boolean }
  | { restart: false; failures: number };

/** Counts the ends of one harness's runs; the two counts are independent of each other. */
export class RestartCount {
  /** Early ends in a row. */
  #early = 0;
  /** Failures in a row. */
  #failures = 0;

  /** Whether it is in a crash loop. */
  get looping(): boolean {
    return this.#early >= CRASH_LOOP;
  }

  after({ failed, ranMs }: RunOver): Next {
    this.#early = ranMs > CRASH_WINDOW_MS ? 0 : this.#early + 1;
    if (!failed || ranMs > HEALTHY_MS) this.#failures = 0;
    if (failed) this.#failures += 1;
    if (this.#failures > MOST_FAILURES) return { restart: false, failures: this.#failures };
    const afterMs = FIRST_BACKOFF_MS * 2 ** Math.max(0, this.#early - 1);
    return { restart: true, afterMs: Math.min(afterMs, LONGEST_BACKOFF_MS), looping: this.looping };
  }

  /** A person has looked at it. */
  reset(): void {
    this.#early = 0;
    this.#failures = 0;
  }
}
