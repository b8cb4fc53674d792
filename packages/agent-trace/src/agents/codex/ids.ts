import type { Timestamp } from "../../item.ts";

/** When an id was made, where it is a UUID of version 7: its first 48 bits are the milliseconds since 1970. */
export const madeAt = (id: string | undefined): number | undefined => {
  if (id === undefined) return undefined;
  const parts = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.exec(id);
  return parts === null ? undefined : Number.parseInt(`${parts[1] ?? ""}${parts[2] ?? ""}`, 16);
};

/** Milliseconds of a record's time. */
export const millis = (at: Timestamp | undefined): number | undefined =>
  at === undefined ? undefined : Date.parse(at);

/** The thread id in a rollout's name: `rollout-<start time>-<thread id>.jsonl`. */
export const threadIdOfPath = (path: string): string | undefined =>
  /rollout-.*?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i.exec(path)?.[1];
