import type { ClockCapability } from "./capabilities/types.ts";

/** Waits for work, but not longer than a time; then `late` makes the error that is thrown. The work itself goes on. */
export const within = async <T>(
  clock: ClockCapability,
  limitMs: number,
  work: Promise<T>,
  late: () => Error,
): Promise<T> => {
  const settled = new AbortController();
  const tooLate = clock.sleep(limitMs, settled.signal).then(() => {
    throw late();
  });
  // When the work is faster, ending the sleep rejects it, and nobody waits for it any more.
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    settled.abort();
  }
};
