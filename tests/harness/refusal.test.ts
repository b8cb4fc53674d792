import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createSandbox } from "../support/sandbox.ts";

const supported = `Harness supervises only agents agent-trace can read: claude-code, codex, crush, opencode, pi, omp, orphus,
or a command harness with transcripts = claude-code | codex | crush | opencode | pi | omp | orphus.
Run other programs under your init system (systemd, launchd). See docs/decisions.md.`;

test('H-07 the daemon does not start on harness = "generic", and says what it supports instead', async (t) => {
  const sandbox = createSandbox(t);
  const file = sandbox.config('[harness.heartbeat]\nharness = "generic"\nargs = ["-c", "date"]\n');
  const { code, stderr } = await sandbox.harness("daemon");
  assert.equal(code, 1);
  assert.ok(stderr.includes(file), stderr);
  assert.ok(
    stderr.includes(`[harness.heartbeat]: harness = "generic" is not supported.\n${supported}`),
    stderr,
  );
  assert.equal(existsSync(join(sandbox.state, "harness.sock")), false);
});

test("H-07 the daemon does not start on a command harness without transcripts", async (t) => {
  const sandbox = createSandbox(t);
  const file = sandbox.config('[harness.sweep]\nharness = "command"\nargv = ["sweep", "--all"]\n');
  const { code, stderr } = await sandbox.harness("daemon", "--detach");
  assert.equal(code, 1);
  assert.ok(stderr.includes(file) && stderr.includes("[harness.sweep]"), stderr);
  assert.ok(stderr.includes(supported), stderr);
  assert.equal(existsSync(join(sandbox.state, "harness.sock")), false);
});

test("H-10 harness run with an unknown word fails, names the kinds, and starts nothing", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config("");
  // A program of that name on PATH must not be run either.
  const started = join(sandbox.dir, "started");
  sandbox.agent("frobnicate", { script: `#!/bin/sh\n: > ${started}\n` });
  await sandbox.startDaemon();
  const { code, stderr } = await sandbox.harness("run", "frobnicate", "the house");
  assert.equal(code, 2);
  assert.match(stderr, /frobnicate/);
  assert.match(stderr, /claude-code, codex, crush, opencode, pi, omp, orphus/);
  assert.equal(existsSync(started), false);
  const runs = await sandbox.harness("runs", "--json");
  assert.deepEqual(JSON.parse(runs.stdout), []);
});
