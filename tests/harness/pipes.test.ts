import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { createSandbox, repository } from "../support/sandbox.ts";
import { isAlive, jsonLines, modeOf } from "../support/facts.ts";
import { claudeHarness, installPlayer, logOf, playing, runsOf, streamFile } from "../support/runs.ts";

const capture = join(repository, "tests", "player", "captures", "claude", "basic", "stdout.jsonl");

/**
 * An agent that notes what it was started with, and then says what the real one said. It opens /dev/stdout by name,
 * which works on a pipe and fails on the socket pair that Node's own stdio would be.
 */
const probe = `#!/bin/sh
stdin=$(readlink /proc/$$/fd/0) stdout=$(readlink /proc/$$/fd/1) stderr=$(readlink /proc/$$/fd/2)
printf '%s\\n' "$stdin" "$stdout" "$stderr" > fds
ls /proc/$$/fd > open-fds
cut -d' ' -f5-7 /proc/$$/stat > group-session-tty
echo $$ > pid
echo "a word on stderr" >&2
cat ${capture} > /dev/stdout
`;

const runProbe = async (t: TestContext, script = probe) => {
  const sandbox = createSandbox(t);
  const workdir = sandbox.workdir("work");
  sandbox.agent("claude", { script });
  sandbox.config(claudeHarness("probe", workdir));
  await sandbox.startDaemon();
  const finished = await sandbox.harness("trigger", "probe", "--wait");
  const fact = (name: string): string => readFileSync(join(workdir, name), "utf8").trim();
  return { sandbox, workdir, finished, fact };
};

test("H-49 H-54 stdout and stderr are real pipes, stdin is /dev/null, and nothing else is inherited", async (t) => {
  const { finished, fact, sandbox } = await runProbe(t);
  assert.equal(finished.code, 0, finished.stderr);
  const [stdin, stdout, stderr] = fact("fds").split("\n");
  assert.equal(stdin, "/dev/null");
  assert.match(stdout ?? "", /^pipe:\[\d+\]$/);
  assert.match(stderr ?? "", /^pipe:\[\d+\]$/);
  assert.notEqual(stdout, stderr);
  // The shell itself holds its script on a descriptor of 10 or above.
  assert.deepEqual(
    fact("open-fds")
      .split("\n")
      .filter((fd) => Number(fd) > 2 && Number(fd) < 10),
    [],
  );
  const runLog = readFileSync(join(sandbox.state, "jobs", "probe", "1.log"), "utf8");
  assert.match(runLog, /a word on stderr/);
});

test("H-55 H-56 the process leads its own session and group, without a controlling terminal", async (t) => {
  const { fact } = await runProbe(t);
  const pid = fact("pid");
  assert.equal(fact("group-session-tty"), `${pid} ${pid} 0`);
});

test("H-50 H-57 H-68 the stream is kept beside the run's log, line by line JSON, without stderr", async (t) => {
  const { sandbox } = await runProbe(t);
  const file = streamFile(sandbox, "probe");
  const text = readFileSync(file, "utf8");
  assert.equal(text, readFileSync(capture, "utf8"), "a stream without secrets is kept byte for byte");
  assert.equal(jsonLines(text).length, text.trimEnd().split("\n").length);
  assert.equal(text.includes("a word on stderr"), false);
  assert.equal(modeOf(file), 0o600);
});

/** Waits for a file to appear in a folder; the folder is watched before it is looked at. */
const appears = async (dir: string, name: string): Promise<void> => {
  const watcher = watch(dir);
  try {
    while (!existsSync(join(dir, name))) await once(watcher, "change");
  } finally {
    watcher.close();
  }
};

test("H-55 harness stop reaches the whole group", async (t) => {
  const sandbox = createSandbox(t);
  const workdir = sandbox.workdir("work");
  sandbox.agent("claude", {
    script: "#!/bin/sh\nsleep 300 &\necho $! > child.tmp\nmv child.tmp child\nwait\n",
  });
  sandbox.config(claudeHarness("long", workdir));
  await sandbox.startDaemon();
  assert.equal((await sandbox.harness("trigger", "long")).code, 0);
  await appears(workdir, "child");
  const child = Number(readFileSync(join(workdir, "child"), "utf8"));
  assert.equal(isAlive(child), true);
  const stopped = await sandbox.harness("stop", "long");
  assert.equal(stopped.code, 0, stopped.stderr);
  const [run] = await runsOf(sandbox);
  assert.equal(run?.outcome, "cancelled");
  assert.equal(isAlive(child), false);
});

test("H-58 what a leader leaves behind gets a hang-up when the leader exits", async (t) => {
  // The leftover holds stdout: the run cannot end before it is gone, so the note is there when the run has ended.
  const script = `#!/bin/sh
sh -c 'trap "echo hang-up > hup; exit 0" HUP; echo ready > ready.tmp; mv ready.tmp ready; while :; do sleep 1; done' &
while [ ! -f ready ]; do :; done
cat ${capture}
`;
  const { finished, fact } = await runProbe(t, script);
  assert.equal(finished.code, 0, finished.stderr);
  assert.equal(fact("hup"), "hang-up");
});

test("a run whose program is not on PATH has an outcome, and the next harness runs", async (t) => {
  const sandbox = createSandbox(t);
  installPlayer(sandbox);
  const workdir = sandbox.workdir("work", playing({ capture: "claude/basic" }));
  sandbox.config(
    claudeHarness("good", workdir) +
      `[harness.bad]\nharness = "orphus"\nworkdir = ${JSON.stringify(workdir)}\nprompt = "x"\n` +
      claudeHarness("gone", join(sandbox.dir, "no-such-folder")),
  );
  await sandbox.startDaemon();
  const missing = await sandbox.harness("trigger", "bad", "--wait");
  assert.notEqual(missing.code, 0);
  assert.match(missing.stderr, /orphus/);
  assert.match(missing.stderr, /PATH/);
  const gone = await sandbox.harness("trigger", "gone", "--wait");
  assert.notEqual(gone.code, 0);
  assert.match(gone.stderr, /no-such-folder/);
  assert.equal((await sandbox.harness("trigger", "good", "--wait")).code, 0);
  const outcomes = Object.fromEntries((await runsOf(sandbox)).map((run) => [run.harness, run.outcome]));
  assert.deepEqual(outcomes, { bad: "failed", gone: "failed", good: "success" });
});

test("noise, a 20 MiB line and a cut stream are noted and lose nothing else", async (t) => {
  const sandbox = createSandbox(t);
  installPlayer(sandbox);
  const plain = sandbox.workdir("plain", playing({ capture: "claude/basic" }));
  const noisy = sandbox.workdir(
    "noisy",
    playing({ capture: "claude/basic", faults: ["noise", "huge-line"] }),
  );
  const cut = sandbox.workdir("cut", playing({ capture: "claude/basic", faults: ["cut=5000"] }));
  sandbox.config(claudeHarness("plain", plain) + claudeHarness("noisy", noisy) + claudeHarness("cut", cut));
  await sandbox.startDaemon();
  await Promise.all(["plain", "noisy", "cut"].map((name) => sandbox.harness("trigger", name, "--wait")));
  const runs = new Map((await runsOf(sandbox)).map((run) => [run.harness, run]));
  assert.equal(runs.get("noisy")?.toolCalls, runs.get("plain")?.toolCalls);
  assert.equal(runs.get("noisy")?.outcome, "success");
  assert.match(
    readFileSync(streamFile(sandbox, "noisy"), "utf8"),
    /^\{"harness":"line_dropped","stream":"stdout","bytes":\d+,"limit":16777216\}$/m,
  );
  assert.equal(runs.get("cut")?.outcome, "failed", "it exits with 0, but its result line never came");
  const log = await logOf(sandbox, "cut");
  assert.ok(log.entries.length > 0, "what was whole before the cut is on record");
});
