import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createSandbox, repository } from "../support/sandbox.ts";
import { isAlive } from "../support/facts.ts";
import { claudeHarness, runsOf, streamFile } from "../support/runs.ts";

const capture = join(repository, "tests", "player", "captures", "claude", "basic", "stdout.jsonl");

test("a run outlives a daemon that is killed, and the next one's record of it is whole", async (t) => {
  const sandbox = createSandbox(t);
  const workdir = sandbox.workdir("work");
  // The first half of a real stream, cut inside a line; the rest once there is another daemon.
  sandbox.agent("claude", {
    script: `#!/bin/sh
head -c 3000 ${capture}
echo $$ > up.tmp; mv up.tmp up
while [ ! -f go ]; do sleep 0.05; done
tail -c +3001 ${capture}
`,
  });
  sandbox.config(claudeHarness("long", workdir));
  await sandbox.startDaemon();
  assert.equal((await sandbox.harness("trigger", "long")).code, 0);
  const watcher = watch(workdir);
  while (!existsSync(join(workdir, "up"))) await once(watcher, "change");
  watcher.close();
  const pid = Number(readFileSync(join(workdir, "up"), "utf8"));
  const status: unknown = JSON.parse((await sandbox.harness("daemon", "status", "--json")).stdout);
  assert.ok(
    typeof status === "object" && status !== null && "pid" in status && typeof status.pid === "number",
  );
  process.kill(status.pid, "SIGKILL");
  while (isAlive(status.pid)) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isAlive(pid), true);
  await sandbox.startDaemon();
  writeFileSync(join(workdir, "go"), "");
  let outcome = "running";
  while (outcome === "running") outcome = (await runsOf(sandbox))[0]?.outcome ?? "none";
  assert.equal(outcome, "success");
  assert.equal(readFileSync(streamFile(sandbox, "long"), "utf8"), readFileSync(capture, "utf8"));
});
