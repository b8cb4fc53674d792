import assert from "node:assert/strict";
import { test } from "node:test";
import { RestartCount, type Next, type RunOver } from "./restart-count.ts";

const outcomes = (runs: readonly RunOver[]): Next[] => {
  const count = new RestartCount();
  return runs.map((run) => count.after(run));
};
const crash = { failed: true, ranMs: 100 };
const clean = { failed: false, ranMs: 100 };
const minutes = (count: number, failed = true): RunOver => ({ failed, ranMs: count * 60_000 });

test("the wait doubles from one second, the third early end is a crash loop, and the sixth failure is the last", () => {
  assert.deepEqual(outcomes(Array.from({ length: 6 }, () => crash)), [
    { restart: true, afterMs: 1000, looping: false },
    { restart: true, afterMs: 2000, looping: false },
    { restart: true, afterMs: 4000, looping: true },
    { restart: true, afterMs: 8000, looping: true },
    { restart: true, afterMs: 16_000, looping: true },
    { restart: false, failures: 6 },
  ]);
});

test("clean exits are never given up, and wait at most thirty seconds", () => {
  const all = outcomes(Array.from({ length: 50 }, () => clean));
  assert.deepEqual(all.at(-1), { restart: true, afterMs: 30_000, looping: true });
});

test("a run beyond the crash window ends the loop, and the failures are counted on", () => {
  const all = outcomes([crash, crash, crash, minutes(1), crash, crash]);
  assert.deepEqual(all[3], { restart: true, afterMs: 1000, looping: false });
  assert.deepEqual(all[4], { restart: true, afterMs: 1000, looping: false });
  assert.deepEqual(all[5], { restart: false, failures: 6 });
});

test("a clean exit or a run of more than five minutes clears the failures", () => {
  for (const healthy of [clean, minutes(6)]) {
    const all = outcomes([crash, crash, crash, crash, crash, healthy, crash, crash, crash, crash]);
    assert.ok(
      all.every(({ restart }) => restart),
      JSON.stringify(healthy),
    );
  }
  assert.equal(outcomes([crash, crash, crash, crash, crash, minutes(5)]).at(-1)?.restart, false);
});

test("a reset begins anew", () => {
  const count = new RestartCount();
  for (let run = 0; run < 5; run += 1) count.after(crash);
  count.reset();
  assert.deepEqual(count.after(crash), { restart: true, afterMs: 1000, looping: false });
});
