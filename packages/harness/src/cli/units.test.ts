import assert from "node:assert/strict";
import test from "node:test";
import { showCost, showCount, showDuration, showMoment } from "./units.ts";

test("durations", () => {
  const shown = [0, 430, 9_999, 12_400, 185_000, 7_440_000, 90_000_000].map(showDuration);
  assert.deepEqual(shown, ["0.0s", "0.4s", "10.0s", "12s", "3m05s", "2h04m", "1d01h"]);
});

test("amounts of money and tokens", () => {
  assert.deepEqual([0, 50_000, 13_317_000, 1_239_000_000].map(showCost), [
    "$0.00",
    "<$0.0001",
    "$0.0133",
    "$1.24",
  ]);
  assert.deepEqual([0, 999, 1000, 999_949, 999_950].map(showCount), ["0", "999", "1.0k", "999.9k", "1.0M"]);
});

test("a moment of today goes without its date", () => {
  const now = new Date(2026, 10, 30, 12).getTime();
  assert.equal(showMoment(new Date(2026, 10, 30, 3, 4, 5).toISOString(), now), "03:04:05");
  assert.equal(showMoment(new Date(2026, 10, 29, 23, 59).toISOString(), now), "2026-11-29 23:59");
});
