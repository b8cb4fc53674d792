import type { Due } from "../supervise/firing.ts";

/** A due time that is seen later than this has been missed. */
export const LATE_MS = 60_000;
/** As many due times in a row, with the same to be said of them, have a row each; more share one. */
const MOST_ROWS = 100;

/** Due times in a row of which the same is to be said, as the rows that say it. */
export const rowsOf = (dues: readonly number[]): Due[] => {
  const [first] = dues;
  const last = dues.at(-1);
  if (first === undefined || last === undefined) return [];
  if (dues.length <= MOST_ROWS) return dues.map((at) => ({ at }));
  return [{ at: last, first, count: dues.length }];
};
