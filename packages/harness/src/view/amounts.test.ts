import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { duration, exactUsd, grouped, shortUsd } from "./amounts.ts";

test("money is written from whole nano-dollars, digit by digit", () => {
  assert.deepEqual([0, 1, 13_317_000, 12_500_000_000, 1_234_567_000_000_001].map(exactUsd), [
    "$0.00",
    "$0.000000001",
    "$0.013317",
    "$12.50",
    "$1,234,567.000000001",
  ]);
  assert.deepEqual([0, 1, 99_999, 100_000, 13_317_000, 999_950_000, 12_500_000_000].map(shortUsd), [
    "$0.0000",
    "<$0.0001",
    "<$0.0001",
    "$0.0001",
    "$0.0133",
    "$1.0000",
    "$12.5000",
  ]);
});

test("no digit of an amount is lost", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (nanoUsd) => {
      const [whole = "", fraction = ""] = exactUsd(nanoUsd).slice(1).replaceAll(",", "").split(".");
      assert.equal(BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0")), BigInt(nanoUsd));
    }),
  );
});

test("durations and counts read well", () => {
  assert.deepEqual([0, 840, 1000, 59_960, 60_000, 245_000, 3_600_000, 7_380_000].map(duration), [
    "0 ms",
    "840 ms",
    "1.0 s",
    "59.9 s",
    "1m 00s",
    "4m 05s",
    "1h 00m",
    "2h 03m",
  ]);
  assert.deepEqual([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
});
