import { ScheduleError } from "./error.ts";
import { wallPattern, type WallPattern } from "./wall.ts";
import { localZoneName, zoneNamed, type Stretch, type Zone } from "./zone.ts";

/** When a harness is due. Instants are milliseconds since the epoch. */
export interface Schedule {
  /** As written. */
  readonly text: string;
  /** Milliseconds of an `@every`; absent for a pattern of wall time. */
  readonly everyMs?: number;
  /**
   * The first due time strictly after an instant; undefined when none is near enough to matter. An `@every` counts from
   * its anchor, which a pattern does not need.
   */
  next(after: number, anchor: number): number | undefined;
}

const MINUTE_MS = 60_000;
const SHORTEST_MS = 1000;
/** A 29 February can be eight years away; a stretch is at most three years, mostly half a one. */
const MOST_STRETCHES = 64;

const NICKNAMES: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

/**
 * Reads a schedule: five fields, a nickname or `@every <duration>`, with `CRON_TZ=<zone>` or `TZ=<zone>` in front where
 * it is not the machine's zone. Throws {@link ScheduleError}. `duration` reads the amount of an `@every`, in ms.
 */
export const parseSchedule = (text: string, duration: (text: string) => number | undefined): Schedule => {
  const [, zoneName, rest = ""] = /^(?:(?:CRON_)?TZ=(\S*)\s+)?(.*)$/s.exec(text.trim()) ?? [];
  const zone = zoneNamed(zoneName ?? localZoneName());
  if (zone === undefined)
    throw new ScheduleError(`${JSON.stringify(zoneName)} is no time zone; one is "Europe/Berlin" or "UTC"`);
  const every = /^@every\s+(\S+)$/.exec(rest);
  if (every !== null) return everySchedule(text, duration(every[1] ?? ""));
  const fields = rest.startsWith("@") ? NICKNAMES[rest] : rest;
  if (fields === undefined) {
    throw new ScheduleError(
      `${JSON.stringify(rest)} is unknown; there are @hourly, @daily, @weekly, @monthly, @yearly and @every <duration>`,
    );
  }
  const pattern = wallPattern(fields);
  return { text, next: (after) => nextOnWall(pattern, zone, after) };
};

const everySchedule = (text: string, ms: number | undefined): Schedule => {
  if (ms === undefined || ms < SHORTEST_MS)
    throw new ScheduleError('@every needs a duration of "1s" or more, such as "@every 90m"');
  return {
    text,
    everyMs: ms,
    next: (after, anchor) => anchor + (Math.floor((after - anchor) / ms) + 1) * ms,
  };
};

/**
 * A time of day comes once a day. One that the clocks skip is due as if they had not been changed yet (02:30 becomes 03:30);
 * one that they show twice is due at the first. A pattern that matches in every hour is a cadence instead: it is due
 * whenever the clocks show it.
 */
const nextOnWall = (pattern: WallPattern, zone: Zone, after: number): number | undefined => {
  let from = (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS;
  for (let count = 0; count < MOST_STRETCHES; count += 1) {
    const stretch = zone.stretchAt(from);
    const shown = whenShown(pattern, stretch, from);
    const skipped = pattern.everyHour ? undefined : whenSkipped(pattern, stretch, from);
    const found = Math.min(shown ?? Infinity, skipped ?? Infinity);
    if (found !== Infinity) return found;
    from = stretch.end;
  }
  return undefined;
};

const whenShown = (pattern: WallPattern, stretch: Stretch, from: number): number | undefined => {
  const { start, end, offset, before } = stretch;
  // What the clocks showed before they were set back, they have shown.
  const shownUntil = pattern.everyHour ? -Infinity : start + before;
  const wall = pattern.next(Math.max(from + offset, shownUntil));
  return wall !== undefined && wall - offset < end ? wall - offset : undefined;
};

/** Times between the old clocks' and the new clocks' reading of the change. */
const whenSkipped = (pattern: WallPattern, stretch: Stretch, from: number): number | undefined => {
  const { start, offset, before } = stretch;
  if (before >= offset || from + before >= start + offset) return undefined;
  const wall = pattern.next(from + before);
  return wall !== undefined && wall < start + offset ? wall - before : undefined;
};
