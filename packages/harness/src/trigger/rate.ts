/** Lets through so many in any stretch of so long. */
export interface RateLimit {
  /** 0 = go on; else how many ms to wait before trying again. */
  take(now: number): number;
}

/** `rate` absent = no limit. */
export const rateLimit = (rate: { count: number; perMs: number } | undefined): RateLimit => {
  if (rate === undefined) return { take: () => 0 };
  let taken: number[] = [];
  return {
    take: (now) => {
      // A clock that was set back must not close the door for long.
      taken = taken.filter((at) => at <= now && now - at < rate.perMs);
      const [oldest] = taken;
      if (taken.length >= rate.count && oldest !== undefined) return Math.max(1, oldest + rate.perMs - now);
      taken.push(now);
      return 0;
    },
  };
};
