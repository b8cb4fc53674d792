import type { LogEntry } from "../protocol/methods.ts";

/**
 * By the agent's time, then by the order of starts. An item without a time of its own stands behind what started before
 * it: when it was read is another clock's word, and good for lines of the run log only.
 */
export const inOrder = (entries: readonly LogEntry[]): LogEntry[] => {
  const items = entries.filter((entry) => entry.type === "item").sort((a, b) => a.item.seq - b.item.seq);
  const times = new Map<LogEntry, number>();
  let latest = Number.NEGATIVE_INFINITY;
  for (const entry of items) {
    const own = Date.parse(entry.item.at ?? "");
    if (!Number.isNaN(own)) latest = Math.max(latest, own);
    times.set(entry, Number.isNaN(own) ? latest : own);
  }
  const order = (entry: LogEntry): [number, number] =>
    entry.type === "item"
      ? [times.get(entry) ?? 0, entry.item.seq]
      : [Date.parse(entry.at ?? ""), Number.POSITIVE_INFINITY];
  return entries
    .map((entry) => ({ entry, order: order(entry) }))
    .sort(
      (a, b) =>
        compare(a.order[0], b.order[0]) || compare(a.order[1], b.order[1]) || a.entry.change - b.entry.change,
    )
    .map(({ entry }) => entry);
};

/** Also for infinities, whose difference is no number. */
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
