import assert from "node:assert/strict";
import test from "node:test";
import type { DaemonStatus, HarnessRow } from "@orphus/harness/client";
import { isAlive } from "../support/facts.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

const json = async <Shape>(sandbox: Sandbox, ...args: string[]): Promise<Shape> => {
  const { code, stdout, stderr } = await sandbox.harness("--json", ...args);
  assert.equal(code, 0, stdout + stderr);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
  return JSON.parse(stdout) as Shape;
};

const rowOf = async (sandbox: Sandbox, name: string): Promise<HarnessRow> => {
  const rows = await json<HarnessRow[]>(sandbox, "list");
  return rows.find((row) => row.name === name) ?? assert.fail(`no ${name}`);
};

const pidOf = async (sandbox: Sandbox, name: string): Promise<number> =>
  (await rowOf(sandbox, name)).pid ?? assert.fail(`${name} does not run`);

const sleeper = "#!/bin/sh\necho up $*\nexec sleep 600\n";
const resident = (name: string, more = ""): string => `[harness.${name}]\nharness = "claude-code"\n${more}\n`;

test("H-08 a reload bounces nothing, refuses what is wrong, applies what it can and names what needs a restart", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.agent("claude", { script: sleeper });
  const off = "[daemon]\nwatch_config = false\n";
  sandbox.config(off + resident("a", "enabled = true") + resident("b"));
  await sandbox.startDaemon();
  assert.equal((await sandbox.harness("start", "b")).stdout, "● b → running\n");
  const pids = [await pidOf(sandbox, "a"), await pidOf(sandbox, "b")];
  // Refused, by the file as a whole.
  sandbox.config(off + '[harness.a]\nharness = "generic"\n');
  const refused = await sandbox.harness("reload");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /harness = "generic" is not supported/);
  const status = await json<DaemonStatus>(sandbox, "daemon", "status");
  assert.match(status.configProblem ?? "", /generic/);
  assert.deepEqual([await pidOf(sandbox, "a"), await pidOf(sandbox, "b")], pids);
  // Applied: a new resident starts, a changed one says so, a removed one runs on and can be stopped.
  sandbox.config(off + resident("a", 'enabled = true\nmodel = "m"') + resident("c", "enabled = true"));
  const reloaded = await sandbox.harness("reload");
  assert.equal(
    reloaded.stdout,
    `● reloaded — 2 harnesses
  added: c
  removed: b
  changed: a
  started: c
  restart to apply: harness restart a
`,
  );
  assert.deepEqual([await pidOf(sandbox, "a"), await pidOf(sandbox, "b")], pids);
  const [a, b] = [await rowOf(sandbox, "a"), await rowOf(sandbox, "b")];
  assert.deepEqual([a.changed, b.removed, a.enabled], [true, true, true]);
  assert.match((await sandbox.harness("describe", "a")).stdout, /changed; restart to apply/);
  assert.equal((await sandbox.harness("stop", "b")).code, 0);
  const all = await sandbox.harness("restart", "--all");
  assert.equal(all.stdout, "● a → running\n● c → running\n");
  const after = await rowOf(sandbox, "a");
  assert.deepEqual([after.changed, after.pid !== pids[0]], [undefined, true]);
  await until("a shows its model", async () =>
    (await sandbox.harness("capture", "a")).stdout.includes("--model m"),
  );
});

test("a configuration is loaded again when its file changes or is replaced, and on SIGHUP", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.agent("claude", { script: sleeper });
  sandbox.config(resident("a"));
  await sandbox.startDaemon();
  sandbox.config(resident("a") + resident("b", "enabled = true"));
  await until("b runs", async () =>
    (await json<HarnessRow[]>(sandbox, "list")).some(({ state }) => state === "running"),
  );
  sandbox.config(`[daemon]\nwatch_config = false\n${resident("b")}`);
  await until("a is gone", async () => (await json<HarnessRow[]>(sandbox, "list")).length === 1);
  sandbox.config(resident("b") + resident("c"));
  const { pid } = await json<DaemonStatus>(sandbox, "daemon", "status");
  process.kill(pid, "SIGHUP");
  await until("c is there", async () => (await json<HarnessRow[]>(sandbox, "list")).length === 2);
});

test("a resident that dies is started again; the operator's stop outlives the daemon, and so does what failed", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.agent("claude", { script: sleeper });
  sandbox.config(
    resident("a", "enabled = true") + resident("gone", 'workdir = "/no/such/folder"\nrestart = "no"'),
  );
  await sandbox.startDaemon();
  const first = await pidOf(sandbox, "a");
  process.kill(first, "SIGKILL");
  const again = await until("a runs again", async () => {
    const { state, pid, restarts } = await rowOf(sandbox, "a");
    return state === "running" && restarts === 1 && pid;
  });
  assert.notEqual(again, first);
  const failed = await sandbox.harness("start", "gone");
  assert.equal(failed.stdout, "✖ gone → failed\n");
  assert.match(failed.stderr, /the working directory \/no\/such\/folder does not exist/);
  assert.equal((await sandbox.harness("stop", "a")).stdout, "○ a → stopped\n");
  assert.equal(isAlive(again), false);
  const live = await sandbox.harness("list");
  await sandbox.harness("daemon", "stop");
  const down = await sandbox.harness("list");
  assert.equal(down.stdout, live.stdout, "a failed harness is failed without a daemon as well");
  assert.match(down.stdout, /gone +claude-code +✖ failed/);
  await sandbox.startDaemon();
  assert.deepEqual(
    [(await rowOf(sandbox, "a")).state, (await rowOf(sandbox, "gone")).state],
    ["stopped", "failed"],
  );
});
