import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { DatabaseSync } from "node:sqlite";
import type { RescanReport } from "@orphus/harness/client";
import { filesHolding } from "../support/facts.ts";
import { claudeHarness, logOf, streamFile } from "../support/runs.ts";
import { createSandbox, programs, repository, type Sandbox } from "../support/sandbox.ts";

const capture = join(repository, "tests", "player", "captures", "claude", "basic", "stdout.jsonl");
/** No shape, no name: only a rule of the house knows it. */
const secret = "house~cornflower";

/** Runs an agent that says the secret in its calls and on stderr, under the built-in rules alone. */
const ranBefore = async (t: TestContext, runs: number): Promise<Sandbox> => {
  const sandbox = createSandbox(t);
  const said = readFileSync(capture, "utf8").replaceAll('"command":"', `"command":"echo ${secret}; `);
  writeFileSync(join(sandbox.home, "said.jsonl"), said);
  sandbox.agent("claude", {
    script: `#!/bin/sh\necho one >&2\necho "x ${secret} y" >&2\ncat "$HOME/said.jsonl"\necho last >&2\n`,
  });
  writeFileSync(
    join(sandbox.dir, "rules.toml"),
    '[[rules]]\nid = "house"\nregex = "house~([a-z]+)"\nkeywords = ["house~"]\n',
  );
  const harness = claudeHarness("job", sandbox.workdir("work"));
  sandbox.config(harness);
  await sandbox.startDaemon();
  for (let run = 0; run < runs; run += 1) await sandbox.harness("trigger", "job", "--wait");
  sandbox.config(`${harness}\n[redact]\nrules = ["rules.toml"]\n`);
  return sandbox;
};

const rescan = async (
  sandbox: Sandbox,
  ...more: string[]
): Promise<{ code: number | null; report: RescanReport }> => {
  const { code, stdout, stderr } = await sandbox.harness("trace", "rescan", "--json", ...more);
  assert.notEqual(stdout, "", stderr);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
  return { code, report: JSON.parse(stdout) as RescanReport };
};

const word = "cornflower";

test("trace rescan masks rows, stream files and run logs under new rules, with the daemon gone and with one", async (t) => {
  const sandbox = await ranBefore(t, 2);
  await sandbox.harness("daemon", "stop");
  assert.ok(filesHolding(sandbox.state, word).length >= 5, "store, streams and logs hold it");
  const looked = await rescan(sandbox, "--check");
  assert.equal(looked.code, 1);
  assert.deepEqual(
    looked.report.stale.map(({ runId }) => runId),
    [1, 2],
  );
  assert.notEqual(looked.report.stale[0]?.ruleSet, looked.report.ruleSet);
  assert.ok(filesHolding(sandbox.state, word).length >= 5, "a check changes nothing");

  const { code, report } = await rescan(sandbox);
  assert.equal(code, 0);
  assert.equal(report.rescanned?.runs, 2);
  assert.ok(
    (report.rescanned?.rows ?? 0) >= 2 && (report.rescanned?.lines ?? 0) >= 4,
    JSON.stringify(report),
  );
  assert.equal(report.rescanned?.compactionDue, false);
  assert.deepEqual(filesHolding(sandbox.state, word), []);

  const database = new DatabaseSync(join(sandbox.state, "harness.db"), { readOnly: true });
  const pointer = database
    .prepare("SELECT pointer_bytes, pointer_sha256 FROM sessions WHERE run_id = 1")
    .get();
  database.close();
  const stream = readFileSync(streamFile(sandbox, "job"));
  assert.deepEqual(
    { ...pointer },
    { pointer_bytes: stream.length, pointer_sha256: createHash("sha256").update(stream).digest("hex") },
  );
  const stderr = (await logOf(sandbox, "job")).entries.flatMap((entry) =>
    entry.type === "stderr" ? [entry.text] : [],
  );
  assert.deepEqual(
    stderr,
    ["one", "x house~[REDACTED] y", "last"],
    "the run log's places have moved with it",
  );

  await sandbox.startDaemon();
  const again = await rescan(sandbox, "--check");
  assert.deepEqual([again.code, again.report.stale, again.report.current], [0, [], 2]);
  // Another change of the rules, through the daemon.
  const rules = join(sandbox.dir, "rules.toml");
  writeFileSync(
    rules,
    `${readFileSync(rules, "utf8")}[[rules]]\nid = "x"\nregex = "x (house)"\nkeywords = ["house"]\n`,
  );
  assert.equal((await sandbox.harness("reload")).code, 0);
  const through = await rescan(sandbox);
  assert.equal(through.report.rescanned?.runs, 2);
  assert.equal(through.report.rescanned?.lines, 2);
  assert.deepEqual((await rescan(sandbox, "--check")).report.stale, []);
});

test("a rescan that is killed leaves whole runs, and the next one does the rest", async (t) => {
  const sandbox = await ranBefore(t, 4);
  await sandbox.harness("daemon", "stop");
  const jobs = join(sandbox.state, "jobs", "job");
  for (const kill of ["1.stream.jsonl.rescan", "2.log.rescan"]) {
    const watcher = watch(jobs);
    const child = spawn(programs.harness, ["trace", "rescan"], { env: sandbox.env, cwd: sandbox.dir });
    const ended = once(child, "exit");
    const gone = ended.then(() => "gone" as const);
    while (!existsSync(join(jobs, kill))) {
      if ((await Promise.race([once(watcher, "change"), gone])) === "gone") break;
    }
    child.kill("SIGKILL");
    await ended;
    watcher.close();
    // What is there is there whole: every stream parses, and the log's places fit it.
    for (const run of [1, 2, 3, 4]) {
      for (const line of readFileSync(streamFile(sandbox, "job", run), "utf8")
        .trimEnd()
        .split("\n"))
        JSON.parse(line);
    }
  }
  const { report } = await rescan(sandbox);
  assert.equal(report.rescanned?.compactionDue, false);
  assert.deepEqual(filesHolding(sandbox.state, word), []);
  for (const run of [1, 2, 3, 4]) {
    const { entries, notices } = await logOf(sandbox, "job", run);
    assert.deepEqual(notices, []);
    assert.deepEqual(
      entries.flatMap((entry) => (entry.type === "stderr" ? [entry.text] : [])),
      ["one", "x house~[REDACTED] y", "last"],
    );
  }
});
