import { Cron } from "croner";
import { ScheduleError } from "./error.ts";

/** When a five-field pattern matches a clock on the wall. Wall times are milliseconds, written as if they were UTC. */
export interface WallPattern {
  /** Every hour has a match: then the pattern is a cadence of real time rather than a time of day. */
  readonly everyHour: boolean;
  /** The first match at or after a wall time; undefined when no day matches. */
  next(wall: number): number | undefined;
}

const FIELDS = ["minute", "hour", "day of month", "month", "day of week"] as const;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Reads five fields. Throws {@link ScheduleError}, which names the field that is wrong. */
export const wallPattern = (text: string): WallPattern => {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) {
    throw new ScheduleError(
      `has ${fields.length} fields; a schedule has 5: minute, hour, day of month, month, day of week`,
    );
  }
  for (const [at, field] of fields.entries())
    cron(
      FIELDS.map((_, each) => (each === at ? field : "*")),
      at,
    );
  const [minute = "*", hour = "*", day = "*", month = "*", weekday = "*"] = fields;
  const minutes = matches(cron([minute, "*", "*", "*", "*"], 0), 3_600_000).map((ms) => ms / MINUTE_MS);
  const hours = matches(cron(["0", hour, "*", "*", "*"], 1), DAY_MS).map((ms) => ms / 3_600_000);
  const times = hours.flatMap((each) => minutes.map((past) => (each * 60 + past) * MINUTE_MS));
  const days = cron(["0", "0", day, month, weekday], 2);
  if (days.nextRun(new Date(Date.UTC(2000, 0, 1) - 1)) === null)
    throw new ScheduleError("names a day that never comes");
  return { everyHour: hours.length === 24, next: nextIn(days, times) };
};

const nextIn = (days: Cron, times: readonly number[]): WallPattern["next"] => {
  // A day is asked for many times in a row, and asking costs far more than looking.
  let asked = NaN;
  let answer: number | undefined;
  const dayFrom = (day: number): number | undefined => {
    if (day === asked) return answer;
    asked = day;
    // `nextRun` is strict: what is at the very start of the day counts as well.
    answer = days.nextRun(new Date(day - 1000))?.getTime();
    return answer;
  };
  return (wall) => {
    const today = Math.floor(wall / DAY_MS) * DAY_MS;
    const first = dayFrom(today);
    if (first === undefined) return undefined;
    const time = first === today ? times.find((each) => today + each >= wall) : times[0];
    if (time !== undefined) return first + time;
    const later = dayFrom(today + DAY_MS);
    return later === undefined || times[0] === undefined ? undefined : later + times[0];
  };
};

/** A pattern of the library on a clock without zones; it knows names, ranges, steps, `L`, `W` and `#`. */
const cron = (fields: readonly string[], named: number): Cron => {
  try {
    return new Cron(fields.join(" "), { timezone: "UTC", mode: "5-part", paused: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    throw new ScheduleError(
      `the ${FIELDS[named] ?? ""} field ${JSON.stringify(fields[named])} is wrong: ${why}`,
    );
  }
};

/** Matches from the start of a day on, for so long. */
const matches = (pattern: Cron, span: number): number[] => {
  const found: number[] = [];
  const start = Date.UTC(2000, 0, 1);
  let at = pattern.nextRun(new Date(start - 1000));
  while (at !== null && at.getTime() < start + span) {
    found.push(at.getTime() - start);
    at = pattern.nextRun(at);
  }
  return found;
};
