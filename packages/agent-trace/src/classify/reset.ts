import type { Timestamp } from "../item.ts";
import { fromMillis } from "../time.ts";

const dayMs = 86_400_000;

/** Longest wait that a text may speak of: beyond it the text was not understood. */
const longestWaitMs = 40 * dayMs;

/**
 * When a usage limit ends, by the words of an error. Read are
 *
 * - a time in seconds since 1970 behind a bar (`Claude AI usage limit reached|1762952400`, Claude Code 1.x),
 * - a time of day with its zone, with or without a date (`resets 3pm (Europe/Berlin)`, `resets Oct 9, 10:30am
 *   (America/Chicago)`, Claude Code 2.x), which is the next such moment after `at`,
 * - a wait (`try again in 3 days 4 hours 5 minutes`, Codex), counted from `at`.
 *
 * `at` is when it was said. A time of day without a zone says nothing: the agent's own zone is not in its record.
 */
export const resetTime = (text: string, at: Timestamp | undefined): Timestamp | undefined => {
  const epoch = /\|\s*(\d{10})(?:\d{3})?\b/.exec(text)?.[1];
  if (epoch !== undefined) return fromMillis(Number(epoch) * 1000);
  const said = at === undefined ? Number.NaN : Date.parse(at);
  if (Number.isNaN(said)) return undefined;
  const reset = timeOfDay(text, said) ?? afterWait(text, said);
  return reset === undefined || reset - said > longestWaitMs ? undefined : fromMillis(reset);
};

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const clock =
  /\bresets?\s+(?:at\s+|on\s+)?(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*([ap])\.?m\.?\s*\(([\w+/-]{1,64})\)/i;

const timeOfDay = (text: string, said: number): number | undefined => {
  const parts = clock.exec(text);
  if (parts === null) return undefined;
  const [, monthName, day, hourText = "", minuteText = "0", half = "", zone = ""] = parts;
  const hour = Number(hourText);
  const minute = Number(minuteText);
  if (hour < 1 || hour > 12 || minute > 59) return undefined;
  const wall = { hour: (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0), minute };
  const offset = zoneOffset(zone);
  if (offset === undefined) return undefined;
  const month = monthName === undefined ? undefined : months.indexOf(monthName.toLowerCase());
  if (month === -1) return undefined;
  return month === undefined
    ? nextTime(said, offset, wall)
    : nextDate(said, offset, { ...wall, month, day: Number(day) });
};

type Offset = (ms: number) => number;

/** Milliseconds by which a zone's clock is ahead of UTC at a moment; undefined for a zone that nobody knows. */
const zoneOffset = (zone: string): Offset | undefined => {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
  return (ms) => {
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - (ms - (ms % 1000));
  };
};

/** The moment at which the zone's clock shows `wallMs` (as if it were UTC). In the hour that a clock skips, the one after. */
const momentOf = (wallMs: number, offset: Offset): number => {
  const guess = wallMs - offset(wallMs);
  return wallMs - offset(guess);
};

const nextTime = (
  said: number,
  offset: Offset,
  { hour, minute }: { hour: number; minute: number },
): number => {
  const today = said + offset(said);
  const midnight = today - (today % dayMs);
  const at = (day: number): number =>
    momentOf(midnight + day * dayMs + (hour * 60 + minute) * 60_000, offset);
  // What is shown is cut to the minute, so that the present minute still is to come.
  return at(0) > said - 60_000 ? at(0) : at(1);
};

const nextDate = (
  said: number,
  offset: Offset,
  { month, day, hour, minute }: { month: number; day: number; hour: number; minute: number },
): number => {
  const year = new Date(said + offset(said)).getUTCFullYear();
  const inYear = (of: number): number => momentOf(Date.UTC(of, month, day, hour, minute), offset);
  return inYear(year) > said - dayMs ? inYear(year) : inYear(year + 1);
};

const units: Readonly<Record<string, number>> = { d: dayMs, h: 3_600_000, m: 60_000, s: 1000 };

const wait =
  /\btry again in\s+((?:\d{1,4}\s*(?:days?|hours?|minutes?|seconds?|[dhms])(?![a-z])[,\s]*(?:and\s+)?)+)/i;

const afterWait = (text: string, said: number): number | undefined => {
  const spans = wait.exec(text)?.[1];
  if (spans === undefined) return undefined;
  let ms = 0;
  for (const [, amount, unit] of spans.matchAll(/(\d+)\s*([dhms])/gi))
    ms += Number(amount) * (units[(unit ?? "").toLowerCase()] ?? 0);
  return said + ms;
};
