import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { streamLog } from "../../base/log.ts";
import { systemClock, type Clock } from "../../base/clock.ts";
import type { HarnessDefinition } from "../../config/definition.ts";
import type { RunRecord } from "../../store/read.ts";
import { openStore, type Store } from "../../store/store.ts";
import type { Firing } from "../../supervise/firing.ts";
import type { Starts } from "../needs.ts";
import { Scheduler } from "../scheduler.ts";

/** A daemon's scheduler on a real store, with runs that end at once and a clock that is set by hand. */
export interface ScheduleLab {
  /** Sets the wall clock; timers do not notice, as in a machine that slept. */
  set(iso: string): void;
  /** Lets the scheduler look at the clock. */
  look(): Promise<void>;
  /** Sets the clock and looks. */
  at(iso: string): Promise<void>;
  /** Looks once a second until then. */
  until(iso: string): Promise<void>;
  /** Ends this daemon and starts the next one on the same store. */
  restart(definitions?: HarnessDefinition[]): Promise<void>;
  readonly scheduler: Scheduler;
  readonly store: Store;
  /** What the store has of a harness, oldest first: `due outcome trigger`. */
  rows(name?: string): string[];
  records(name?: string): RunRecord[];
  /** Starts of runs fail like this while it is set. */
  failure: Error | undefined;
  readonly said: string[];
}

export const job = (schedule: string, more: Partial<HarnessDefinition> = {}): HarnessDefinition => ({
  name: "nightly",
  kind: "claude-code",
  prompt: { text: "do it" },
  args: [],
  argv: [],
  workdir: "/",
  envFiles: [],
  autoAccept: false,
  maxTurns: 0,
  timeoutMs: 0,
  onOverlap: "skip",
  keepRuns: 20,
  recordTrace: true,
  enabled: false,
  restart: "no",
  restartDelayMs: 0,
  catchUp: false,
  maxWindows: 3,
  webhooks: [],
  schedule,
  ...more,
});

export const scheduleLab = (t: TestContext, start: string, definitions: HarnessDefinition[]): ScheduleLab => {
  const folder = mkdtempSync(join(tmpdir(), "due-"));
  const store = openStore(join(folder, "state", "harness.db"));
  t.after(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let now = Date.parse(start);
  let timer: (() => void) | undefined;
  const clock: Clock = {
    now: () => now,
    monotonic: () => systemClock.monotonic(),
    after: (_ms, task) => {
      timer = task;
      return () => (timer = undefined);
    },
  };
  const said: string[] = [];
  const log = streamLog({ clock, mask: (text) => text }, { write: (line: string) => said.push(line) > 0 });
  const newRun = (definition: HarnessDefinition, { trigger, due }: Firing, startedAt: number) => ({
    harness: definition.name,
    kind: "oneshot" as const,
    agent: "claude-code" as const,
    recordTrace: true,
    trigger,
    startedAt,
    ...(due === undefined ? {} : { due }),
  });
  const starts: Starts = {
    start: async (definition, firing) => {
      await turn();
      if (lab.failure !== undefined) throw lab.failure;
      store.ledger.decided(newRun(definition, firing, now), { outcome: "success", endedAt: now });
    },
    record: (definition, firing, decision) => {
      const run = newRun(definition, firing, firing.due?.at ?? now);
      return { harness: definition.name, runId: store.ledger.decided(run, { ...decision, endedAt: now }) };
    },
  };
  const boot = (all: HarnessDefinition[]): Scheduler => {
    const scheduler = new Scheduler({ clock, log, marks: store.schedules, starts });
    scheduler.configure(new Map(all.map((definition) => [definition.name, definition])));
    scheduler.start();
    return scheduler;
  };
  let scheduler = boot(definitions);
  const lab: ScheduleLab = {
    failure: undefined,
    said,
    store,
    get scheduler() {
      return scheduler;
    },
    set: (iso) => {
      now = Date.parse(iso);
    },
    look: async () => {
      await scheduler.settled();
      timer?.();
      await scheduler.settled();
    },
    at: async (iso) => {
      lab.set(iso);
      await lab.look();
    },
    until: async (iso) => {
      const end = Date.parse(iso);
      await scheduler.settled();
      while (now < end) {
        now += 1000;
        timer?.();
        await scheduler.settled();
      }
    },
    restart: async (next = definitions) => {
      await scheduler.stop();
      scheduler = boot(next);
      await scheduler.settled();
    },
    records: (name = "nightly") =>
      store.read.runs({ names: [name], limit: 1000 }).sort((a, b) => a.runId - b.runId),
    rows: (name) =>
      lab.records(name).map(({ due, outcome, trigger }) => {
        const at = new Date(due?.at ?? 0).toISOString().slice(11, 19);
        return `${at} ${outcome} ${trigger}${due?.count === undefined ? "" : ` ×${due.count}`}`;
      }),
  };
  return lab;
};
