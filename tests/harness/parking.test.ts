import assert from "node:assert/strict";
import test from "node:test";
import { claudeHarness, runsOf } from "../support/runs.ts";
import { createSandbox } from "../support/sandbox.ts";

/** An agent whose usage limit ends in two hours: what Claude Code says of it, and its exit code. */
const limited = `#!/bin/sh
at=$(( $(date +%s) + 7200 ))
echo '{"type":"system","subtype":"init","session_id":"5e55","cwd":"/w","model":"m","tools":[],"mcp_servers":[]}'
echo '{"type":"assistant","message":{"id":"m1","model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"Claude AI usage limit reached|'$at'"}]},"error":"rate_limit","session_id":"5e55","uuid":"u1"}'
exit 1
`;

test("an agent that met its usage limit is parked with a countdown; due times are skipped; a person takes it out", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.agent("claude", { script: limited });
  sandbox.config(claudeHarness("job", sandbox.workdir("work"), 'schedule = "@every 1s"\n'));
  await sandbox.startDaemon();
  let runs = await runsOf(sandbox);
  while (!runs.some((run) => run.outcome === "skipped" && run.reason?.startsWith("parked") === true))
    runs = await runsOf(sandbox);
  const first = runs.at(-1);
  assert.deepEqual([first?.outcome, first?.errors["quota"]], ["failed", 1]);
  const skipped = runs.find((run) => run.outcome === "skipped");
  assert.match(skipped?.reason ?? "", /^parked: the agent's usage limit ends at 20/);
  assert.match((await sandbox.harness("list")).stdout, /^job .*◷ parked +resets in (?:1h 59m|2h 00m) /m);
  assert.match(
    (await sandbox.harness("describe", "job")).stdout,
    /^parked until .*usage limit; resumed then/m,
  );

  await sandbox.harness("daemon", "stop");
  await sandbox.startDaemon();
  assert.match((await sandbox.harness("list")).stdout, /◷ parked/);

  // By hand it starts all the same, and a stop ends the waiting.
  assert.equal((await sandbox.harness("trigger", "job", "--wait")).code, 1);
  assert.equal((await runsOf(sandbox)).find((run) => run.trigger === "manual")?.outcome, "failed");
  await sandbox.harness("stop", "job");
  const { stdout } = await sandbox.harness("list");
  assert.match(stdout, /‖ paused|✖ failed/);
  assert.doesNotMatch(stdout, /parked/);
});
