import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CHANNEL_LIMIT, CHUNK_BYTES, TOTAL_LIMIT, type FromKeeper } from "../protocol/keeper.ts";
import { HeldBytes } from "./held-bytes.ts";
import { Keeper, LINGER_MS, type Audience } from "./keeper.ts";
import { MAX_CHANNELS, MemoryBudget } from "./memory-budget.ts";

/** A clock that is moved by hand. */
const handClock = () => {
  let now = 0;
  const tasks = new Set<{ due: number; task: () => void }>();
  return {
    now: () => now,
    after: (ms: number, task: () => void) => {
      const entry = { due: now + ms, task };
      tasks.add(entry);
      return () => void tasks.delete(entry);
    },
    advance: (ms: number) => {
      now += ms;
      for (const entry of tasks) {
        if (entry.due > now) continue;
        tasks.delete(entry);
        entry.task();
      }
    },
  };
};

const listener = (): Audience & { until(type: FromKeeper["type"]): Promise<void> } => {
  const heard = new Set<string>();
  let wake = (): void => undefined;
  return {
    send: ({ type }) => {
      heard.add(type);
      wake();
    },
    moreToRead: () => undefined,
    displace: () => undefined,
    until: async (type) => {
      while (!heard.has(type)) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
};

test("a keeper ends ten seconds after its last run is forgotten, when no daemon is connected", async () => {
  const clock = handClock();
  let ended = 0;
  const keeper = new Keeper(clock, () => (ended += 1));
  const daemon = listener();
  assert.equal(keeper.admit(1, daemon), true);
  clock.advance(10 * LINGER_MS);
  assert.equal(ended, 0, "a daemon is connected");
  const spec = { file: "/bin/true", args: [], cwd: "/", env: {}, umask: 0o022 };
  await keeper.spawn("a", spec);
  await daemon.until("exit");
  keeper.leave(daemon);
  clock.advance(10 * LINGER_MS);
  assert.equal(ended, 0, "an ended run is held until it is forgotten");
  assert.equal(keeper.admit(2, daemon), true);
  keeper.forget("a");
  keeper.leave(daemon);
  clock.advance(LINGER_MS - 1);
  assert.equal(ended, 0);
  assert.equal(keeper.admit(3, daemon), true);
  clock.advance(LINGER_MS);
  assert.equal(ended, 0, "a daemon has come back in time");
  keeper.leave(daemon);
  clock.advance(LINGER_MS);
  assert.equal(ended, 1);
});

test("a keeper that no daemon ever speaks to ends as well", () => {
  const clock = handClock();
  let ended = 0;
  assert.equal(new Keeper(clock, () => (ended += 1)).idle, true);
  clock.advance(LINGER_MS);
  assert.equal(ended, 1);
});

type Step = { channel: number } & ({ read: number } | { ack: number });

test("however channels read and are acknowledged, limits hold, bytes come back as they were, and nobody starves", () => {
  const CHANNELS = 90;
  const channel = fc.nat(CHANNELS - 1);
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ channel, read: fc.integer({ min: 1, max: CHUNK_BYTES }) }) },
    { weight: 1, arbitrary: fc.record({ channel, ack: fc.nat(CHANNEL_LIMIT) }) },
  );
  const written = Buffer.from(Uint8Array.from({ length: CHUNK_BYTES }, (_, index) => index % 251));
  fc.assert(
    fc.property(fc.array(step, { minLength: 200, maxLength: 2000, size: "max" }), (steps) => {
      const budget = new MemoryBudget();
      const channels = Array.from({ length: CHANNELS }, () => new HeldBytes(budget));
      for (const each of steps) {
        const held = channels[each.channel];
        assert.ok(held !== undefined);
        if ("ack" in each) held.ack(Math.min(held.acked + each.ack, held.head));
        else if (held.reserve()) held.append(written.subarray(0, each.read));
        else assert.ok(held.head > held.acked, "a channel that holds nothing may always read");
        assert.ok(held.head - held.acked <= CHANNEL_LIMIT);
      }
      const total = channels.reduce((sum, { acked, head }) => sum + head - acked, 0);
      assert.ok(total <= TOTAL_LIMIT - (MAX_CHANNELS - CHANNELS) * CHUNK_BYTES);
      // Everything given back: the shared half is whole again.
      for (const held of channels) held.drop();
      assert.equal(budget.take(TOTAL_LIMIT / 2), true);
      assert.equal(budget.take(1), false);
    }),
    { numRuns: 25 },
  );
});

test("held bytes are read from any offset, whatever the sizes they came in", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: CHUNK_BYTES })),
      fc.nat(),
      fc.nat(),
      (sizes, ackAt, readAt) => {
        const held = new HeldBytes(new MemoryBudget());
        const whole = Buffer.from(
          Uint8Array.from({ length: sizes.reduce((sum, size) => sum + size, 0) }, (_, index) => index % 253),
        );
        for (const size of sizes) held.append(whole.subarray(held.head, held.head + size));
        held.ack(ackAt % (whole.length + 1));
        const from = held.acked + (readAt % (held.head - held.acked + 1));
        const read: Uint8Array[] = [];
        for (let next = from, piece = held.slice(next); piece.length > 0; piece = held.slice(next)) {
          read.push(piece);
          next += piece.length;
        }
        assert.ok(Buffer.concat(read).equals(whole.subarray(from)));
      },
    ),
    { numRuns: 60 },
  );
});
