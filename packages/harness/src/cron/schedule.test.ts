import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { ScheduleError } from "./error.ts";
import { parseSchedule } from "./schedule.ts";

const MINUTE_MS = 60_000;

const seconds = (text: string): number | undefined =>
  /^\d+s$/.test(text) ? Number(text.slice(0, -1)) * 1000 : undefined;

/** Due times after an instant, as ISO times without seconds. */
const dues = (text: string, after: string, count: number): string[] => {
  const schedule = parseSchedule(text, seconds);
  const found: string[] = [];
  let at: number | undefined = Date.parse(after);
  while (found.length < count && at !== undefined) {
    at = schedule.next(at, 0);
    if (at !== undefined) found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
};

test("a time that the clocks skip is due as if they had not been changed yet", () => {
  assert.deepEqual(dues("CRON_TZ=Europe/Berlin 30 2 * * *", "2026-03-28T00:00Z", 3), [
    "2026-03-28T01:30",
    "2026-03-29T01:30",
    "2026-03-30T00:30",
  ]);
});

test("a time that the clocks show twice is due at the first", () => {
  assert.deepEqual(dues("TZ=Europe/Berlin 30 2 * * *", "2026-10-24T12:00Z", 2), [
    "2026-10-25T00:30",
    "2026-10-26T01:30",
  ]);
});

test("a cadence of every hour goes on by real time through both changes", () => {
  assert.deepEqual(dues("CRON_TZ=Europe/Berlin 30 * * * *", "2026-10-24T23:45Z", 3), [
    "2026-10-25T00:30",
    "2026-10-25T01:30",
    "2026-10-25T02:30",
  ]);
  assert.deepEqual(dues("CRON_TZ=Europe/Berlin @hourly", "2026-03-29T00:00Z", 2), [
    "2026-03-29T01:00",
    "2026-03-29T02:00",
  ]);
});

test("two times that a change brings together are one due time", () => {
  assert.deepEqual(dues("CRON_TZ=Europe/Berlin 30 2,3 * * *", "2026-03-29T00:00Z", 2), [
    "2026-03-29T01:30",
    "2026-03-30T00:30",
  ]);
});

test("a zone that skipped a whole day has that day's times on the next, once", () => {
  assert.deepEqual(dues("CRON_TZ=Pacific/Apia 0 12 * * *", "2011-12-29T00:00Z", 3), [
    "2011-12-29T22:00",
    "2011-12-30T22:00",
    "2011-12-31T22:00",
  ]);
});

test("names, ranges, steps, the last day and either of day and weekday", () => {
  assert.deepEqual(dues("TZ=UTC 0 3 * * mon-fri", "2026-11-27T12:00Z", 1), ["2026-11-30T03:00"]);
  assert.deepEqual(dues("TZ=UTC 0 0 L * *", "2026-02-01T00:00Z", 1), ["2026-02-28T00:00"]);
  assert.deepEqual(dues("TZ=UTC 0 0 29 feb *", "2096-03-01T00:00Z", 1), ["2104-02-29T00:00"]);
  assert.deepEqual(dues("TZ=UTC 0 0 1 * 1", "2026-03-02T00:00Z", 2), [
    "2026-03-09T00:00",
    "2026-03-16T00:00",
  ]);
  assert.deepEqual(dues("TZ=UTC @weekly", "2026-11-30T00:00Z", 1), ["2026-12-06T00:00"]);
});

test("@every counts from its anchor", () => {
  const schedule = parseSchedule("@every 90s", seconds);
  assert.equal(schedule.everyMs, 90_000);
  assert.deepEqual(
    [schedule.next(1_000, 1_000), schedule.next(91_000, 1_000), schedule.next(0, 1_000)],
    [91_000, 181_000, 1_000],
  );
});

test("what cannot be read says which part is wrong and what is allowed", () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    "": /0 fields|1 fields/,
    "* * * *": /has 4 fields; a schedule has 5: minute, hour/,
    "* * * * * *": /has 6 fields/,
    "61 * * * *": /the minute field "61" is wrong: .*61/,
    "0 25 * * *": /the hour field "25" is wrong/,
    "0 0 0 * *": /the day of month field "0"/,
    "0 0 * foo *": /the month field "foo"/,
    "0 0 * * 9": /the day of week field "9"/,
    "0 0 30 2 *": /a day that never comes/,
    "@reboot": /@reboot.* is unknown; there are @hourly/,
    "@every": /is unknown/,
    "@every soon": /@every needs a duration/,
    "@every 0s": /@every needs a duration/,
    "CRON_TZ=Mars/Olympus 0 0 * * *": /"Mars\/Olympus" is no time zone/,
    "CRON_TZ= 0 0 * * *": /is no time zone/,
  };
  for (const [text, message] of Object.entries(wrong)) {
    assert.throws(
      () => parseSchedule(text, seconds),
      (error) => error instanceof ScheduleError && message.test(error.message),
      text,
    );
  }
});

interface Field {
  text: string;
  has(value: number): boolean;
}

/** One field, with a reading of it that has nothing to do with the one under test. */
const field = (low: number, high: number): fc.Arbitrary<Field> => {
  const value = fc.integer({ min: low, max: high });
  const all: Field = { text: "*", has: () => true };
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(all) },
    fc.array(value, { minLength: 1, maxLength: 4 }).map((values) => ({
      text: values.join(","),
      has: (each: number) => values.includes(each),
    })),
    fc.tuple(value, value).map(([a, b]) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      return { text: `${from}-${to}`, has: (each: number) => each >= from && each <= to };
    }),
    fc.integer({ min: 1, max: high }).map((step) => ({
      text: `*/${step}`,
      has: (each: number) => (each - low) % step === 0,
    })),
  );
};

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Havana",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Atlantic/Azores",
  "Asia/Kathmandu",
  "Pacific/Chatham",
];
/** Days about which some of these zones change their clocks, and one about which none does. */
const days = ["02-15", "03-08", "03-22", "03-29", "04-05", "07-01", "10-04", "10-25", "11-01"];

const fieldsOf = (
  wall: number,
): { minute: number; hour: number; day: number; month: number; weekday: number } => {
  const date = new Date(wall);
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
};

test("every due time is that of a walk through every minute of the zone's clock", () => {
  // Most days and the hours of the night: that is where the clocks change.
  const anyDay = { weight: 6, arbitrary: fc.constant<Field>({ text: "*", has: () => true }) };
  const pattern = fc.tuple(
    field(0, 59),
    fc.oneof(field(0, 23), field(0, 4)),
    fc.oneof(anyDay, { weight: 1, arbitrary: field(1, 28) }),
    fc.oneof(anyDay, { weight: 1, arbitrary: field(1, 12) }),
    fc.oneof(anyDay, { weight: 1, arbitrary: field(0, 6) }),
  );
  fc.assert(
    fc.property(pattern, fc.constantFrom(...zones), fc.constantFrom(...days), (fields, zone, day) => {
      const [minute, hour, dayOfMonth, month, weekday] = fields;
      const format = new Intl.DateTimeFormat("sv-SE", {
        timeZone: zone,
        dateStyle: "short",
        timeStyle: "short",
      });
      const wallAt = (instant: number): number => Date.parse(`${format.format(instant).replace(" ", "T")}Z`);
      const matches = (wall: number): boolean => {
        const at = fieldsOf(wall);
        const [inDay, inWeek] = [dayOfMonth.has(at.day), weekday.has(at.weekday)];
        // Where both are restricted, either is enough.
        const dayFits = dayOfMonth.text === "*" || weekday.text === "*" ? inDay && inWeek : inDay || inWeek;
        return minute.has(at.minute) && hour.has(at.hour) && month.has(at.month) && dayFits;
      };
      const everyHour = Array.from({ length: 24 }, (_, each) => each).every((each) => hour.has(each));

      const start = Date.parse(`2026-${day}T00:00Z`) - 86_400_000;
      const end = start + 2 * 86_400_000;
      const expected = new Set<number>();
      let highest = wallAt(start - MINUTE_MS);
      let last = highest;
      for (let at = start; at < end; at += MINUTE_MS) {
        const wall = wallAt(at);
        if (matches(wall) && (everyHour || wall > highest)) expected.add(at);
        for (let skipped = last + MINUTE_MS; skipped < wall; skipped += MINUTE_MS) {
          if (!everyHour && matches(skipped)) expected.add(at + (skipped - last - MINUTE_MS));
        }
        last = wall;
        highest = Math.max(highest, wall);
      }

      const text = `CRON_TZ=${zone} ${fields.map((each) => each.text).join(" ")}`;
      const schedule = parseSchedule(text, seconds);
      const found: number[] = [];
      let at = schedule.next(start - MINUTE_MS, 0);
      while (at !== undefined && at < end) {
        found.push(at);
        at = schedule.next(at, 0);
      }
      assert.deepEqual(
        found.map((each) => new Date(each).toISOString()),
        [...expected]
          .filter((each) => each < end)
          .sort((a, b) => a - b)
          .map((each) => new Date(each).toISOString()),
        text,
      );
    }),
    { numRuns: 150 },
  );
});
