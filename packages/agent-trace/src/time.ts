import type { Timestamp } from "./item.ts";
import type { JsonValue } from "./reader.ts";

const earliest = Date.UTC(2000, 0, 1);
const latest = Date.UTC(2200, 0, 1);

/** A time in milliseconds since 1970 as a record's time; undefined when it cannot be the time of an agent's work. */
export const fromMillis = (ms: number | undefined): Timestamp | undefined =>
  ms !== undefined && ms >= earliest && ms < latest ? new Date(ms).toISOString() : undefined;

/** A date and time as agents write it (RFC 3339 with any offset and precision), in UTC with milliseconds. */
export const timestamp = (value: JsonValue | undefined): Timestamp | undefined => {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d[T ]/.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : fromMillis(ms);
};

/** Milliseconds from one time to a later one; undefined when either is unknown or the clock went back. */
export const between = (from: Timestamp | undefined, to: Timestamp | undefined): number | undefined => {
  if (from === undefined || to === undefined) return undefined;
  const ms = Date.parse(to) - Date.parse(from);
  return ms >= 0 ? ms : undefined;
};
