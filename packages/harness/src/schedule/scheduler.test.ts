import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { HarnessError } from "../base/errors.ts";
import { parseDuration } from "../config/duration.ts";
import { parseSchedule } from "../cron/schedule.ts";
import { job, scheduleLab } from "./testing/lab.ts";

const EVERY_FIVE = "TZ=UTC */5 * * * *";

test("a due time has one row, however often the clock is looked at", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job(EVERY_FIVE)]);
  assert.equal(lab.scheduler.state("nightly")?.next, Date.parse("2026-11-30T10:05Z"));
  await lab.until("2026-11-30T10:10:30Z");
  assert.deepEqual(lab.rows(), ["10:05:00 success schedule", "10:10:00 success schedule"]);
  assert.equal(lab.records()[0]?.startedAt, Date.parse("2026-11-30T10:05Z"));
});

test("a machine that slept: what was due meanwhile is missed, each with its row, and the next is on time", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job(EVERY_FIVE)]);
  await lab.at("2026-11-30T10:17:00Z");
  await lab.at("2026-11-30T10:20:59Z");
  assert.deepEqual(lab.rows(), [
    "10:05:00 missed schedule",
    "10:10:00 missed schedule",
    "10:15:00 missed schedule",
    "10:20:00 success schedule",
  ]);
  assert.match(lab.records()[0]?.reason ?? "", /asleep/);
  assert.equal(lab.records()[0]?.startedAt, Date.parse("2026-11-30T10:05Z"));
});

test("a daemon that was down says so; a time is late by more than a minute or on time", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job(EVERY_FIVE)]);
  lab.set("2026-11-30T10:11:00Z");
  await lab.restart();
  assert.deepEqual(lab.rows(), ["10:05:00 missed schedule", "10:10:00 success schedule"]);
  assert.equal(lab.records()[0]?.reason, "the daemon was not running");
  lab.set("2026-11-30T10:16:01Z");
  await lab.restart();
  assert.equal(lab.rows().at(-1), "10:15:00 missed schedule");
});

test("catch_up: one run makes up for the outage, the others are missed; what is due right now needs none", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job(EVERY_FIVE, { catchUp: true })]);
  lab.set("2026-11-30T10:18:00Z");
  await lab.restart();
  assert.deepEqual(lab.rows(), [
    "10:05:00 missed schedule",
    "10:10:00 missed schedule",
    "10:15:00 success catch_up",
  ]);
  assert.equal(lab.records()[2]?.startedAt, Date.parse("2026-11-30T10:18Z"));
  await lab.restart();
  assert.equal(lab.rows().length, 3);
  await lab.at("2026-11-30T10:30:10Z");
  assert.deepEqual(lab.rows().slice(3), [
    "10:20:00 missed schedule",
    "10:25:00 missed schedule",
    "10:30:00 success schedule",
  ]);
});

test("more than a hundred missed in a row share one row, with the first, the last and their number", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job("TZ=UTC * * * * *")]);
  await lab.at("2026-11-30T11:41:59Z");
  assert.equal(lab.rows().length, 101);
  assert.deepEqual(lab.rows().slice(-2), ["11:40:00 missed schedule", "11:41:00 success schedule"]);
  await lab.at("2026-11-30T13:23:59Z");
  assert.deepEqual(lab.rows().slice(101), ["13:22:00 missed schedule ×101", "13:23:00 success schedule"]);
  assert.equal(lab.records()[101]?.due?.first, Date.parse("2026-11-30T11:42Z"));
});

test("a clock set back an hour: nothing runs twice, and times of day go on when they are new", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job(EVERY_FIVE)]);
  await lab.until("2026-11-30T10:06:00Z");
  lab.set("2026-11-30T09:06:00Z");
  await lab.until("2026-11-30T10:09:00Z");
  assert.deepEqual(lab.rows(), ["10:05:00 success schedule"]);
  await lab.restart();
  await lab.until("2026-11-30T10:10:00Z");
  assert.deepEqual(lab.rows(), ["10:05:00 success schedule", "10:10:00 success schedule"]);
});

test("a clock set back does not hold an interval up", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:00Z", [job("@every 5m")]);
  await lab.until("2026-11-30T10:05:00Z");
  lab.set("2026-11-30T09:05:00Z");
  await lab.until("2026-11-30T09:10:01Z");
  assert.deepEqual(lab.rows(), ["10:05:00 success schedule", "09:10:01 success schedule"]);
  assert.match(lab.said.join(""), /set back by 3599 s/);
});

test("a clock that was wrong by years is not waited for", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job("TZ=UTC 0 3 * * *")]);
  await lab.at("2031-01-01T00:00:00Z");
  assert.match(lab.rows()[0] ?? "", /^03:00:00 missed schedule ×1\d{3}$/);
  lab.set("2026-11-30T12:00:00Z");
  await lab.look();
  assert.equal(lab.scheduler.state("nightly")?.next, Date.parse("2026-12-01T03:00Z"));
});

test("a new schedule begins now, an unchanged one keeps its phase, one that is gone is forgotten", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:00Z", [job("@every 6h"), job("@every 1h", { name: "other" })]);
  lab.set("2026-11-30T14:00:00Z");
  await lab.restart([job("@every 6h", { description: "changed" }), job("@every 2h", { name: "other" })]);
  assert.equal(lab.scheduler.state("nightly")?.next, Date.parse("2026-11-30T16:00Z"));
  assert.equal(lab.scheduler.state("other")?.next, Date.parse("2026-11-30T16:00Z"));
  assert.deepEqual(lab.rows("other"), []);
  lab.scheduler.configure(new Map());
  assert.equal(lab.scheduler.state("nightly"), undefined);
  assert.deepEqual(lab.store.schedules.names(), []);
});

test("a paused schedule records its due times as skipped, over a restart as well, until it goes on", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job(EVERY_FIVE)]);
  lab.scheduler.pause("nightly", true);
  assert.deepEqual(lab.scheduler.state("nightly"), { expression: EVERY_FIVE, paused: true });
  await lab.until("2026-11-30T10:05:01Z");
  lab.set("2026-11-30T10:11:30Z");
  await lab.restart();
  lab.scheduler.pause("nightly", false);
  await lab.until("2026-11-30T10:15:01Z");
  assert.deepEqual(lab.rows(), [
    "10:05:00 skipped schedule",
    "10:10:00 skipped schedule",
    "10:15:00 success schedule",
  ]);
});

test("a run that is started by hand eats no due time", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:04:00Z", [job(EVERY_FIVE)]);
  const run = {
    harness: "nightly",
    kind: "oneshot" as const,
    agent: "claude-code" as const,
    recordTrace: true,
  };
  lab.store.ledger.open({ ...run, trigger: "manual", startedAt: Date.parse("2026-11-30T10:05:00Z") });
  await lab.at("2026-11-30T10:05:00Z");
  assert.equal(lab.rows().at(-1), "10:05:00 success schedule");
});

test("what cannot be recorded is tried again, and said once", async (t) => {
  const lab = scheduleLab(t, "2026-11-30T10:00:30Z", [job(EVERY_FIVE)]);
  lab.failure = new HarnessError("store_failed", "the disk is full");
  await lab.until("2026-11-30T10:05:30Z");
  assert.deepEqual(lab.rows(), []);
  assert.equal(lab.said.filter((line) => line.includes("the disk is full")).length, 1);
  lab.failure = undefined;
  await lab.look();
  assert.deepEqual(lab.rows(), ["10:05:00 success schedule"]);
});

test("whatever sleeps, restarts and pauses come, every due time has one row and nothing else has", async (t) => {
  const step = fc.record({
    minutes: fc.oneof({ weight: 3, arbitrary: fc.nat(12) }, fc.nat(300)),
    seconds: fc.nat(59),
    next: fc.constantFrom("look", "look", "restart", "pause", "go on"),
  });
  const expressions = [EVERY_FIVE, "@every 7m", "CRON_TZ=Europe/Berlin */20 1-3 * * *"];
  const start = Date.parse("2026-03-28T22:00:00Z");
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...expressions),
      fc.boolean(),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      async (expression, catchUp, steps) => {
        const lab = scheduleLab(t, new Date(start).toISOString(), [job(expression, { catchUp })]);
        let now = start;
        for (const { minutes, seconds, next } of steps) {
          now += (minutes * 60 + seconds) * 1000;
          lab.set(new Date(now).toISOString());
          if (next === "restart") await lab.restart();
          if (next === "pause" || next === "go on") lab.scheduler.pause("nightly", next === "pause");
          await lab.look();
        }
        const schedule = parseSchedule(expression, parseDuration);
        const expected: number[] = [];
        for (
          let due = schedule.next(start, start);
          due !== undefined && due <= now;
          due = schedule.next(due, start)
        )
          expected.push(due);
        const recorded = lab.records().flatMap(({ due }) => {
          assert.ok(due !== undefined);
          const { at, first = at, count = 1 } = due;
          const covered = expected.filter((each) => each >= first && each <= at);
          assert.equal(covered.length, count);
          return covered;
        });
        assert.deepEqual(
          recorded.toSorted((a, b) => a - b),
          expected,
        );
      },
    ),
    { numRuns: 15 },
  );
});
