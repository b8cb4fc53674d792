import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { DaemonStatus, HarnessRow, RunRow } from "@orphus/harness/client";
import { claudeHarness, installPlayer, playing, runsOf } from "../support/runs.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";

const due = (run: RunRow): string => run.due?.at ?? "";

const scheduled = async (t: TestContext, more: string): Promise<Sandbox> => {
  const sandbox = createSandbox(t);
  installPlayer(sandbox);
  const workdir = sandbox.workdir("work", playing({ capture: "claude/basic" }));
  sandbox.config(claudeHarness("job", workdir, more));
  await sandbox.startDaemon();
  return sandbox;
};

/** Asks for the runs until they are as wanted. */
const until = async (sandbox: Sandbox, wanted: (runs: RunRow[]) => boolean): Promise<RunRow[]> => {
  for (;;) {
    const runs = await runsOf(sandbox);
    if (wanted(runs)) return runs;
  }
};

const row = async (sandbox: Sandbox, ...args: string[]): Promise<HarnessRow> => {
  const { stdout, stderr } = await sandbox.harness(...args, "--json");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
  const shown = JSON.parse(stdout) as HarnessRow | HarnessRow[];
  const found = Array.isArray(shown) ? shown[0] : shown;
  return found ?? assert.fail(stderr);
};

/** The due times in a row, oldest first, without a gap and without a repeat. */
const assertUnbroken = (runs: RunRow[], everyMs: number): void => {
  const times = runs
    .filter((run) => run.due !== undefined)
    .flatMap((run) => {
      const last = Date.parse(due(run));
      const count = run.due?.count ?? 1;
      return Array.from({ length: count }, (_, at) => last - (count - 1 - at) * everyMs);
    })
    .sort((a, b) => a - b);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  assert.deepEqual(
    gaps.filter((gap) => gap !== everyMs),
    [],
  );
};

test("a schedule fires, every due time has one row, and runs by hand are beside them", async (t) => {
  const sandbox = await scheduled(t, 'schedule = "@every 2s"\n');
  const [first] = await until(sandbox, (runs) => runs.some((run) => run.outcome === "success"));
  assert.equal(first?.trigger, "schedule");
  await sandbox.harness("trigger", "job", "--wait");
  const runs = await until(sandbox, (all) => all.filter((run) => run.due !== undefined).length >= 4);
  assert.ok(runs.some((run) => run.trigger === "manual" && run.due === undefined));
  assertUnbroken(runs, 2000);
});

test("a daemon that was stopped in its tracks, and one that was down, miss no row", async (t) => {
  const sandbox = await scheduled(t, 'schedule = "@every 1s"\non_overlap = "skip"\n');
  await until(sandbox, (runs) => runs.length > 0);
  const status = await sandbox.harness("daemon", "status", "--json");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
  const { pid } = JSON.parse(status.stdout) as DaemonStatus;
  process.kill(pid, "SIGSTOP");
  const stoppedAt = Date.now();
  const meanwhile = (ms: number): Promise<RunRow[]> => until(sandbox, () => Date.now() - stoppedAt > ms);
  // The time that passes is what is tested: the wall clock goes on while the process does not.
  await sleep(4000);
  process.kill(pid, "SIGCONT");
  assertUnbroken(await meanwhile(6000), 1000);
  process.kill(pid, "SIGKILL");
  await sandbox.startDaemon();
  const runs = await until(sandbox, (all) => all.some((run) => Date.parse(due(run)) > stoppedAt + 9000));
  assertUnbroken(runs, 1000);
});

test("list, jobs and describe tell the next due time; stop pauses the schedule and start lets it go on", async (t) => {
  const sandbox = await scheduled(t, 'schedule = "CRON_TZ=UTC 0 3 * * *"\n');
  const next = Date.parse((await row(sandbox, "list")).nextDue ?? "");
  assert.ok(next > Date.now() && next <= Date.now() + 86_400_000);
  assert.equal(new Date(next).toISOString().slice(11), "03:00:00.000Z");
  for (const verb of [["list"], ["jobs"], ["describe", "job"]]) {
    const { stdout } = await sandbox.harness(...verb);
    assert.match(stdout, /⏱ armed/, verb[0]);
    assert.match(stdout, /in (?:\d+h \d\dm|\d+m \d\ds|\d+ s)/, verb[0]);
  }
  const stopped = await sandbox.harness("stop", "job");
  assert.equal(stopped.stdout, "‖ job → paused; its schedule is paused until: harness start job\n");
  const paused = await row(sandbox, "describe", "job");
  assert.deepEqual([paused.paused, paused.nextDue], [true, undefined]);
  assert.equal((await sandbox.harness("start", "job")).stdout, "⏱ job → armed\n");
  assert.equal(Date.parse((await row(sandbox, "jobs")).nextDue ?? ""), next);
  const unknown = await sandbox.harness("describe", "jib");
  assert.match(unknown.stderr, /There is no harness named jib/);
});
