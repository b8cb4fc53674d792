import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { streamLog } from "../base/log.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import type { RunOutcome } from "../store/read.ts";
import { openStore } from "../store/store.ts";
import { emptyTotals } from "../store/totals.ts";
import { handClock } from "../supervise/testing/hand-clock.ts";
import { Parking } from "./parking.ts";
import { job } from "./testing/lab.ts";

const HOUR_MS = 3_600_000;

/** Parking on a real store, with a clock that is moved by hand and runs that end at once. */
const parkingLab = (t: TestContext, more: Partial<HarnessDefinition> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "park-"));
  const store = openStore(join(folder, "state", "harness.db"));
  t.after(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const clock = handClock();
  const said: string[] = [];
  const log = streamLog({ clock, mask: (text) => text }, { write: (line: string) => said.push(line) > 0 });
  const definition = job("@daily", more);
  const started: string[] = [];
  const world: {
    /** When the agent says that its limit ends. */
    reset?: number;
    /** Starts fail like this while it is set. */
    failure?: Error | undefined;
  } = {};
  const deps = {
    quotaReset: () => world.reset,
    definition: (name: string) => (name === "nightly" ? definition : undefined),
    start: async (harness: HarnessDefinition, { trigger }: { trigger: string }) => {
      if (world.failure !== undefined) throw world.failure;
      started.push(trigger);
      const run = {
        harness: harness.name,
        kind: "oneshot" as const,
        agent: "claude-code" as const,
        recordTrace: true,
      };
      store.ledger.open({ ...run, trigger, startedAt: clock.now() });
    },
  };
  const open = (): Parking => new Parking({ clock, log, parks: store.parks, ...deps });
  const lab = {
    store,
    clock,
    said,
    definition,
    started,
    world,
    open,
    parking: open(),
    /** Records a run that ended so; `quota`: having met the limit, which then ends at `reset`. */
    ends: (outcome: Exclude<RunOutcome, "running">, quota = outcome === "failed") => {
      const run = {
        harness: "nightly",
        kind: "oneshot" as const,
        agent: "claude-code" as const,
        recordTrace: true,
      };
      const runId = store.ledger.open({ ...run, trigger: "manual", startedAt: clock.now() });
      const totals = quota ? { ...emptyTotals, errors: { quota: 1 } } : emptyTotals;
      lab.parking.ended(
        store.ledger.close({ harness: "nightly", runId }, { outcome, endedAt: clock.now(), totals }),
      );
    },
    pass: async (ms: number) => {
      clock.advance(ms);
      await lab.parking.settled();
    },
  };
  lab.parking.start();
  return lab;
};

test("a limit with a reset time parks until then, and what is due meanwhile is told so", async (t) => {
  const lab = parkingLab(t);
  lab.world.reset = 2 * HOUR_MS;
  lab.ends("failed");
  assert.deepEqual(lab.parking.state("nightly"), { until: 2 * HOUR_MS, resumes: true });
  for (const trigger of ["schedule", "catch_up", "webhook"]) {
    assert.deepEqual(lab.parking.admit(lab.definition, { trigger }), {
      admitted: false,
      reason: "parked: the agent's usage limit ends at 1970-01-01T02:00:00.000Z",
    });
  }
  await lab.pass(2 * HOUR_MS - 1);
  assert.deepEqual(lab.started, []);
  await lab.pass(1000);
  assert.deepEqual(lab.started, ["resume"]);
  assert.equal(lab.parking.state("nightly"), undefined);
  assert.deepEqual(lab.parking.admit(lab.definition, { trigger: "schedule" }), { admitted: true });
  await lab.pass(5000);
  assert.deepEqual(lab.started, ["resume"]);
});

test("a park outlives the daemon, and so does that it was resumed", async (t) => {
  const lab = parkingLab(t);
  lab.world.reset = 2 * HOUR_MS;
  lab.ends("failed");
  await lab.parking.stop();
  lab.clock.advance(3 * HOUR_MS);
  for (let daemon = 0; daemon < 2; daemon += 1) {
    lab.parking = lab.open();
    lab.parking.start();
    await lab.parking.stop();
  }
  assert.deepEqual(lab.started, ["resume"]);
});

test("a person who came back first is not followed by a resumption", async (t) => {
  const lab = parkingLab(t);
  lab.world.reset = 2 * HOUR_MS;
  lab.ends("failed");
  assert.deepEqual(lab.parking.admit(lab.definition, { trigger: "manual" }), { admitted: true });
  assert.equal(lab.parking.state("nightly"), undefined);
  lab.ends("failed");
  lab.parking.clear("nightly");
  await lab.pass(3 * HOUR_MS);
  assert.deepEqual(lab.started, []);
});

test("it is resumed for max_windows in a row, and a success begins a new count", async (t) => {
  const lab = parkingLab(t, { maxWindows: 2 });
  const meet = async (): Promise<boolean | undefined> => {
    lab.world.reset = lab.clock.now() + HOUR_MS;
    lab.ends("failed");
    const state = lab.parking.state("nightly");
    await lab.pass(HOUR_MS + 1000);
    return state?.resumes;
  };
  assert.deepEqual([await meet(), await meet(), await meet()], [true, true, false]);
  assert.deepEqual(lab.started, ["resume", "resume"]);
  assert.match(lab.said.at(-1) ?? "", /usage limit; it is not resumed/);
  lab.ends("success");
  assert.equal(await meet(), true);
  const never = parkingLab(t, { maxWindows: 0 });
  never.world.reset = HOUR_MS;
  never.ends("failed");
  assert.deepEqual(never.parking.state("nightly"), { until: HOUR_MS, resumes: false });
});

test("what is no limit with a time to wait for parks nothing; one far off is believed for eight days", (t) => {
  const lab = parkingLab(t);
  lab.ends("failed");
  lab.world.reset = 59_000;
  lab.ends("failed");
  lab.world.reset = 2 * HOUR_MS;
  lab.ends("failed", false);
  lab.ends("success", true);
  lab.ends("cancelled", true);
  assert.deepEqual(lab.store.parks.all(), []);
  lab.world.reset = 365 * 24 * HOUR_MS;
  lab.ends("failed");
  assert.equal(lab.parking.state("nightly")?.until, 8 * 24 * HOUR_MS);
});

test("a start that fails is tried again, and complained of once", async (t) => {
  const lab = parkingLab(t);
  lab.world.reset = HOUR_MS;
  lab.ends("failed");
  lab.world.failure = new Error("the disk is full");
  await lab.pass(HOUR_MS);
  await lab.pass(1000);
  await lab.pass(1000);
  assert.equal(lab.said.filter((line) => line.includes("the disk is full")).length, 1);
  lab.world.failure = undefined;
  await lab.pass(1000);
  assert.deepEqual(lab.started, ["resume"]);
});
