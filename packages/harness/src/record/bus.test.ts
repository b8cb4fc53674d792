import assert from "node:assert/strict";
import { once, EventEmitter } from "node:events";
import { test } from "node:test";
import type { StoredItem } from "../store/read.ts";
import { createBus, type BusEvent } from "./bus.ts";
import { follow } from "./follower.ts";
import { call, itemLine, session } from "./testing/items-agent.ts";
import { createLab } from "./testing/run-lab.ts";

const end = (harness: string): BusEvent => ({ type: "end", run: { harness, runId: 1 } });

const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
};

test("a subscriber that is slower than the runs loses the oldest events and is told how many", async () => {
  const bus = createBus();
  const all = bus.subscribe({ limit: 2 });
  const one = bus.subscribe({ run: { harness: "c", runId: 1 } });
  bus.publish(["a", "b", "c", "d", "e"].map(end));
  bus.close();
  assert.deepEqual(await collect(all), [{ type: "missed", count: 3 }, end("d"), end("e")]);
  assert.deepEqual(await collect(one), [end("c")]);
  bus.publish([end("f")]);
  assert.deepEqual(await collect(all), []);
});

test("text that nobody takes does not pile up", async () => {
  const bus = createBus();
  const slow = bus.subscribe();
  const text = "x".repeat(1024 * 1024);
  const output = (change: number): BusEvent => ({
    type: "output",
    change,
    run: { harness: "a", runId: 1 },
    channel: "stderr",
    at: 0,
    text,
  });
  for (let change = 1; change <= 20; change += 1) bus.publish([output(change)]);
  bus.close();
  const events = await collect(slow);
  assert.deepEqual(
    events.map((event) => (event.type === "output" ? event.change : event.type)),
    ["missed", 17, 18, 19, 20],
  );
});

test("a subscriber is handed what comes while it waits", async () => {
  const bus = createBus();
  const events = bus.subscribe()[Symbol.asyncIterator]();
  const first = events.next();
  bus.publish([end("a")]);
  assert.deepEqual((await first).value, end("a"));
});

test("a follower gets every change once, over restarts, however far it is behind", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  const intake = lab.intake(ref);
  const seen: StoredItem[] = [];
  const bell = new EventEmitter();
  const handle = (items: readonly StoredItem[]): void => {
    seen.push(...items);
    bell.emit("seen");
  };
  const first = follow(lab, "budget", handle);
  const lines = Array.from({ length: 600 }, (_, number) => itemLine(call(number))).join("");
  intake.write("stdout", 0, Buffer.from(itemLine(session()) + lines));
  lab.clock.advance(10);
  while (seen.length < 601) await once(bell, "seen");
  first.close();
  await first.ended;
  const late = itemLine(call(1, { rev: 1, summary: "late" }), call(700));
  await lab.play(ref, intake, itemLine(session()) + lines + late);
  const second = follow(lab, "budget", handle);
  while (seen.length < 603) await once(bell, "seen");
  second.close();
  await second.ended;
  assert.deepEqual(
    seen.slice(-2).map(({ item }) => [item.key, item.rev]),
    [
      ["call-1", 1],
      ["call-700", 0],
    ],
  );
  const changes = seen.map((each) => each.change);
  assert.deepEqual(
    changes,
    [...new Set(changes)].sort((a, b) => a - b),
  );
  assert.equal(lab.store.subscriber("budget"), changes.at(-1));
});

test("what a follower throws ends it, and is not taken as dealt with", async (t) => {
  const lab = createLab(t);
  const ref = lab.run();
  await lab.play(ref, lab.intake(ref), itemLine(session()));
  const follower = follow(lab, "broken", () => {
    throw new Error("no");
  });
  await assert.rejects(follower.ended, /no/);
  assert.equal(lab.store.subscriber("broken"), 0);
});
