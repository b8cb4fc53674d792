import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { AgentName } from "@orphus/agent-trace/item";
import type { Clock } from "../../base/clock.ts";
import { statePaths, type StatePaths } from "../../base/paths.ts";
import { openStore, type Store } from "../../store/store.ts";
import type { RunRecord, RunRef, StoredItem } from "../../store/read.ts";
import { createBus, type Bus } from "../bus.ts";
import { closeRun } from "../close-run.ts";
import type { Intake, IntakeDeps, IntakeFault, ProcessEnd, RunFold, RunIdentity } from "../intake.ts";
import { openIntake } from "../open-intake.ts";
import { itemsAgent } from "./items-agent.ts";

/** A clock that stands still until it is moved, and then runs what is due. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export const manualClock = (start = Date.parse("2026-11-30T12:00:00.000Z")): ManualClock => {
  let now = start;
  let tasks: { due: number; task: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now - start,
    after(ms, task) {
      const entry = { due: now + ms, task };
      tasks.push(entry);
      return () => {
        tasks = tasks.filter((each) => each !== entry);
      };
    },
    advance(ms) {
      now += ms;
      const due = tasks.filter((each) => each.due <= now);
      tasks = tasks.filter((each) => each.due > now);
      for (const { task } of due) task();
    },
  };
};

/** A state folder of its own with a store, a bus and a clock, for runs without processes. */
export interface Lab {
  paths: StatePaths;
  store: Store;
  bus: Bus;
  clock: ManualClock;
  faults: IntakeFault[];
  /** Opens a ledger row. */
  run(harness?: string, options?: { agent?: AgentName; recordTrace?: boolean }): RunRef;
  /** Its stream is that of {@link itemsAgent} unless another is given. */
  intake(ref: RunRef, identity?: Partial<RunIdentity>, deps?: Partial<IntakeDeps>): Intake;
  /** Writes everything, ends the channels and closes the run. */
  play(ref: RunRef, intake: Intake, stdout: string | Uint8Array, end?: Partial<ProcessEnd>): Promise<Played>;
  items(ref: RunRef): StoredItem[];
  stream(ref: RunRef): string;
  log(ref: RunRef): string;
  /** Closes the store, as a daemon does that ends; {@link Lab.up} opens it again. */
  down(): void;
  up(): void;
}

interface Played {
  fold: RunFold;
  record: RunRecord;
}

/** `now` is the time that its clock shows at first, in ms. */
export const createLab = (t: TestContext, now?: number): Lab => {
  const dir = mkdtempSync(join(tmpdir(), "record-"));
  const paths = statePaths(join(dir, "state"));
  const lab: Lab = {
    paths,
    store: openStore(paths.store),
    bus: createBus(),
    clock: manualClock(now),
    faults: [],
    run: (harness = "nightly", options = {}) => ({
      harness,
      runId: lab.store.ledger.open({
        harness,
        kind: "oneshot",
        agent: options.agent ?? "claude-code",
        trigger: "manual",
        recordTrace: options.recordTrace ?? true,
        startedAt: lab.clock.now(),
      }),
    }),
    intake: (ref, identity = {}, deps = {}) =>
      openIntake(
        {
          ...ref,
          agent: "claude-code",
          workdir: "/srv/project",
          secrets: [],
          recordTrace: true,
          ...identity,
        },
        {
          store: lab.store,
          bus: lab.bus,
          clock: lab.clock,
          files: {
            stream: paths.stream(ref.harness, ref.runId),
            runLog: paths.runLog(ref.harness, ref.runId),
          },
          maxFileBytes: 64 * 1024 * 1024,
          streamAgent: itemsAgent,
          onFault: (fault) => lab.faults.push(fault),
          ...deps,
        },
      ),
    async play(ref, intake, stdout, end = {}) {
      intake.write("stdout", 0, Buffer.from(stdout));
      const whole: ProcessEnd = { code: 0, signal: null, at: lab.clock.now(), ...end };
      const fold = await intake.finish(whole);
      return { fold, record: closeRun(lab, ref, whole, fold) };
    },
    items: (ref) =>
      lab.store.read
        .changes(ref, 0, 100_000)
        .entries.flatMap((entry) => (entry.type === "item" ? [entry.stored] : [])),
    stream: (ref) => readFileSync(paths.stream(ref.harness, ref.runId), "utf8"),
    log: (ref) => readFileSync(paths.runLog(ref.harness, ref.runId), "utf8"),
    down: () => lab.store.close(),
    up() {
      lab.store = openStore(paths.store);
    },
  };
  t.after(() => {
    lab.store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return lab;
};
