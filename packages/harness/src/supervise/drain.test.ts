import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Drain, DRAIN_LIMIT_MS, LOOK_MS, QUIET_MS } from "./drain.ts";
import { handClock } from "./testing/hand-clock.ts";

const never = new Promise<void>(() => undefined);

/** Waits for what never comes, with a reader that gets on as told; resolves to how long the drain took. */
const drained = async (progressesAt: (ms: number) => boolean): Promise<number> => {
  const clock = handClock();
  const drain = new Drain(clock);
  const waiting = drain.wait(never);
  while ((await Promise.race([waiting, turn("waits on")])) === "waits on") {
    if (progressesAt(clock.monotonic())) drain.progressed();
    clock.advance(LOOK_MS);
  }
  assert.equal(await waiting, false);
  return clock.monotonic();
};

test("H-78 a drain gives up after two seconds in which no reader gets on", async () => {
  assert.equal(await drained(() => false), QUIET_MS);
  assert.equal(await drained((ms) => ms <= 5000), 5000 + LOOK_MS + QUIET_MS);
});

test("H-78 a reader that gets on is waited for, for one minute in all", async () => {
  assert.equal(await drained(() => true), DRAIN_LIMIT_MS);
  assert.equal(await drained((ms) => ms % (QUIET_MS - LOOK_MS) === 0), DRAIN_LIMIT_MS);
});

test("H-78 a daemon that was busy itself for longer than that gives up on nobody", async () => {
  const clock = handClock();
  const drain = new Drain(clock);
  const complete = Promise.withResolvers<void>();
  const waiting = drain.wait(complete.promise);
  // Nine seconds in one step of ours; only behind it is seen what had come meanwhile.
  clock.advance(9000);
  await turn();
  drain.progressed();
  complete.resolve();
  clock.advance(LOOK_MS);
  assert.equal(await waiting, true);
});

test("H-78 a drain that is complete waits for nothing", async () => {
  assert.equal(await new Drain(handClock()).wait(Promise.resolve()), true);
});
