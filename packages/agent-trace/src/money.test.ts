import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { nanoUsd } from "./money.ts";

test("an amount is read digit by digit and rounded once", () => {
  assert.equal(nanoUsd(0.013316999999999999), 13_317_000);
  assert.equal(nanoUsd(0.0006000000000000001), 600_000);
  assert.equal(nanoUsd("1.2345678905"), 1_234_567_891);
  assert.equal(nanoUsd(1e-7), 100);
  assert.equal(nanoUsd(4e-10), 0);
  assert.equal(nanoUsd(0), 0);
  assert.equal(nanoUsd(-0.5), -500_000_000);
  assert.equal(nanoUsd(12), 12_000_000_000);
});

test("what is no amount, or no safe integer of nano-dollars, is unknown", () => {
  for (const value of [null, "", "free", true, {}, [], Number.NaN, 1e300, "0x10"])
    assert.equal(nanoUsd(value), undefined);
});

test("every whole number of nano-dollars survives being written as dollars", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9_000_000_000_000 }), (nano) => {
      const digits = String(nano).padStart(10, "0");
      assert.equal(nanoUsd(`${digits.slice(0, -9)}.${digits.slice(-9)}`), nano);
    }),
  );
});
