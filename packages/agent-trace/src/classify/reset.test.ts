import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { resetTime } from "./index.ts";

test("a limit's end is read from a time since 1970, whenever it was said", () => {
  const text = "Claude AI usage limit reached|1762952400";
  assert.equal(resetTime(text, undefined), "2025-11-12T13:00:00.000Z");
  assert.equal(resetTime(`${text}000`, "2020-01-01T00:00:00.000Z"), "2025-11-12T13:00:00.000Z");
});

test("a limit's end is read from a time of day in its zone, on both sides of midnight and of a change of clocks", () => {
  const cases: [text: string, at: string, reset: string | undefined][] = [
    [
      "You've hit your limit · resets 3pm (Europe/Berlin)",
      "2026-07-01T10:00:00Z",
      "2026-07-01T13:00:00.000Z",
    ],
    [
      "You've hit your limit · resets 3pm (Europe/Berlin)",
      "2026-07-01T13:30:00Z",
      "2026-07-02T13:00:00.000Z",
    ],
    [
      "session limit · resets 12:50am (America/Los_Angeles)",
      "2026-07-04T06:00:00Z",
      "2026-07-04T07:50:00.000Z",
    ],
    ["Your limit will reset at 9am (America/Chicago).", "2025-12-22T02:00:00Z", "2025-12-22T15:00:00.000Z"],
    ["Your limit will reset at 12pm (Etc/GMT+5).", "2025-06-14T10:00:00Z", "2025-06-14T17:00:00.000Z"],
    // Berlin's clocks went forward at 01:00 UTC.
    ["resets 9am (Europe/Berlin)", "2026-03-28T22:00:00Z", "2026-03-29T07:00:00.000Z"],
    [
      "weekly limit · resets Oct 9, 10:30am (America/Chicago)",
      "2026-10-05T10:00:00Z",
      "2026-10-09T15:30:00.000Z",
    ],
    ["weekly limit · resets Jan 2 at 1am (UTC)", "2026-12-30T10:00:00Z", "2027-01-02T01:00:00.000Z"],
    ["resets 3pm", "2026-07-01T10:00:00Z", undefined],
    ["resets 13pm (Europe/Berlin)", "2026-07-01T10:00:00Z", undefined],
    ["resets 3pm (Atlantis/City)", "2026-07-01T10:00:00Z", undefined],
    ["resets Foo 9, 3pm (UTC)", "2026-07-01T10:00:00Z", undefined],
    ["resets Dec 9, 3pm (UTC)", "2026-07-01T10:00:00Z", undefined],
  ];
  for (const [text, at, reset] of cases) assert.equal(resetTime(text, at), reset, text);
  assert.equal(resetTime("resets 3pm (Europe/Berlin)", undefined), undefined);
});

test("a limit's end is read from a wait", () => {
  const at = "2026-07-01T10:00:00.000Z";
  assert.equal(
    resetTime("You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.", at),
    "2026-07-04T14:05:00.000Z",
  );
  assert.equal(resetTime("try again in 1h30m", at), "2026-07-01T11:30:00.000Z");
  assert.equal(resetTime("try again in a while", at), undefined);
  assert.equal(resetTime("try again in 900 days", at), undefined);
});

const zones = ["UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Chatham", "Etc/GMT+5"];

test("whatever the zone and the hour, the end is the next moment at which that zone's clock shows it", () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date("2025-01-01"), max: new Date("2030-01-01"), noInvalidDate: true }),
      fc.constantFrom(...zones),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: 59 }),
      fc.constantFrom("am", "pm"),
      (said, zone, hour, minute, half) => {
        const text = `limit · resets ${hour}:${`${minute}`.padStart(2, "0")}${half} (${zone})`;
        const reset = resetTime(text, said.toISOString());
        assert.ok(reset !== undefined);
        const wait = Date.parse(reset) - said.getTime();
        assert.ok(wait > -60_000 && wait <= 25 * 3_600_000, `${text}: ${wait} ms`);
        const format = { timeZone: zone, hour: "numeric", minute: "2-digit", hour12: true } as const;
        const shown = new Date(reset).toLocaleTimeString("en-US", format).replace(/\s/u, " ");
        const wanted = `${hour}:${`${minute}`.padStart(2, "0")} ${half.toUpperCase()}`;
        // An hour that a clock skips is never shown.
        if (shown !== wanted) assert.equal(Math.abs(minutes(shown) - minutes(wanted)), 60);
      },
    ),
  );
});

const minutes = (shown: string): number => {
  const [, hour, minute, half] = /(\d+):(\d+) (AM|PM)/.exec(shown) ?? [];
  return (Number(hour) % 12) * 60 + Number(minute) + (half === "PM" ? 720 : 0);
};

test("no text makes it throw or give a time that is none", () => {
  const words = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom("resets ", "|", "try again in ", "3pm ", "(UTC)", "Oct 9, ", "99 days "),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(words, (parts) => {
      const reset = resetTime(parts.join(""), "2026-07-01T10:00:00.000Z");
      assert.ok(reset === undefined || !Number.isNaN(Date.parse(reset)));
    }),
  );
});
