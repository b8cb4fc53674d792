import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { parseDuration } from "./duration.ts";

test("durations are sums of amounts with a unit", () => {
  const known = {
    "0": 0,
    "500ms": 500,
    "90s": 90_000,
    "1h": 3_600_000,
    "1h30m": 5_400_000,
    "1.5h": 5_400_000,
    "2d": 172_800_000,
  };
  for (const [text, ms] of Object.entries(known)) assert.equal(parseDuration(text), ms, text);
});

test("everything else is no duration", () => {
  for (const text of ["", "1", "h", "1h ", " 1h", "-1h", "1 h", "1x", "1h30", "1e3s", "00", "1h,30m"]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

test("any text gives milliseconds or nothing, and never throws", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = parseDuration(text);
      assert.ok(ms === undefined || ms >= 0);
    }),
  );
  fc.assert(
    fc.property(fc.nat(1000), fc.constantFrom("ms", "s", "m", "h", "d"), (amount, unit) => {
      assert.ok((parseDuration(`${amount}${unit}`) ?? -1) >= 0);
    }),
  );
});
