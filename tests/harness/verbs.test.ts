import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import test, { type TestContext } from "node:test";
import { claudeHarness, installPlayer, itemsOf, logOf, playing, runsOf } from "../support/runs.ts";
import { createSandbox, programs, repository, type Sandbox } from "../support/sandbox.ts";

const capture = join(repository, "tests", "player", "captures", "claude", "basic", "stdout.jsonl");

/** An agent that says half of a session, waits for a file named `go` in its folder, and says the rest. */
const gated = `#!/bin/sh
head -n 4 ${capture}
touch waiting
while [ ! -e go ]; do sleep 0.05; done
tail -n +5 ${capture}
`;

const started = async (
  t: TestContext,
  script: string,
  more = "",
): Promise<{ sandbox: Sandbox; workdir: string }> => {
  const sandbox = createSandbox(t);
  const workdir = sandbox.workdir("work");
  sandbox.agent("claude", { script });
  sandbox.config(claudeHarness("job", workdir, more));
  await sandbox.startDaemon();
  return { sandbox, workdir };
};

/** A field of the object that a verb printed under `--json`. */
const jsonField = (stdout: string, name: string): unknown => {
  const value: unknown = JSON.parse(stdout);
  assert.ok(typeof value === "object" && value !== null, stdout);
  return Object.entries(value).find(([key]) => key === name)?.[1];
};

test("H-25 the words that reach the agent are those of its kind, and the prompt is one of them", async (t) => {
  const script = `#!/bin/sh\nfor word in "$@"; do printf '%s\\n' "$word"; done > argv\ncat ${capture}\n`;
  const { sandbox, workdir } = await started(
    t,
    script,
    'model = "some-model"\nmax_turns = 3\nargs = ["--add-dir", "x y"]\n',
  );
  assert.equal((await sandbox.harness("trigger", "job", "--wait")).code, 0);
  assert.deepEqual(readFileSync(join(workdir, "argv"), "utf8").trimEnd().split("\n"), [
    "-p",
    "--dangerously-skip-permissions",
    "--model",
    "some-model",
    "--max-turns",
    "3",
    "--verbose",
    "--output-format",
    "stream-json",
    "--add-dir",
    "x y",
    "Make hello.txt, read it back, then report.",
  ]);
});

test("H-11 no word is turned into another program: not a shell, not command, not a near miss", async (t) => {
  const { sandbox } = await started(t, "#!/bin/sh\ntouch started\n");
  for (const word of [
    "sh",
    "bash",
    "generic",
    "command",
    "Claude",
    "claude-code ",
    "codex-cli",
    "/bin/true",
  ]) {
    const { code, stderr } = await sandbox.harness("run", word, "do it");
    assert.equal(code, 2, word);
    assert.ok(stderr.includes(`"${word}" is no agent to run.`), stderr);
  }
  for (const [args, said] of [
    [["trace"], /a verb is missing/],
    [["stop"], /stop takes the name of a harness, or --all/],
    [["lits", "--help"], /unknown command 'lits'/],
    [["run", "foo", "hi"], /claude-code, codex, crush/],
  ] as const) {
    const { code, stderr } = await sandbox.harness(...args);
    assert.equal(code, 2, args[0]);
    assert.match(stderr, said);
    assert.doesNotMatch(stderr, /outputHelp/);
  }
  for (const args of [["--help"], ["logs", "--help"], ["trace", "--help"], ["help", "run"]])
    assert.equal((await sandbox.harness(...args)).code, 0, args.join(" "));
  const absent = await sandbox.harness("trigger", "job", "--config", "/nope.toml");
  assert.equal(absent.code, 1);
  assert.match(absent.stderr, /\/nope\.toml does not exist/);
  writeFileSync(join(sandbox.dir, "other.toml"), "");
  const other = await sandbox.harness("list", "--config", "other.toml");
  assert.match(other.stderr, /the daemon answers by .*harness\.toml, not by .*other\.toml/);
  assert.deepEqual(await runsOf(sandbox), []);
});

test("trigger --wait exits with the run's own code, 124 for a time-out and 75 for a run that was skipped", async (t) => {
  const own = await started(t, `#!/bin/sh\ncat ${capture}\nexit 7\n`);
  assert.equal((await own.sandbox.harness("trigger", "job", "--wait")).code, 7);
  const slow = await started(t, "#!/bin/sh\nexec sleep 300\n", 'timeout = "200ms"\n');
  const late = await slow.sandbox.harness("trigger", "job", "--wait");
  assert.equal(late.code, 124, late.stderr);
  const { sandbox, workdir } = await started(t, gated);
  const first = await sandbox.harness("trigger", "job");
  assert.deepEqual([first.code, first.stdout], [0, "● job run 1 → running\n"]);
  const second = await sandbox.harness("trigger", "job", "--wait", "--json");
  assert.equal(second.code, 75);
  assert.equal(jsonField(second.stdout, "outcome"), "skipped");
  writeFileSync(join(workdir, "go"), "");
});

test("a name that is not configured is answered with the ones that are", async (t) => {
  const { sandbox } = await started(t, "#!/bin/sh\n");
  for (const verb of ["trigger", "stop", "logs"]) {
    const { code, stdout } = await sandbox.harness("--json", verb, "jib");
    assert.equal(code, 1);
    assert.deepEqual(jsonField(stdout, "error"), {
      code: "unknown_harness",
      message: "There is no harness named jib.",
      hint: "the configuration defines: job",
    });
  }
});

test("logs --follow shows a live run as it goes and ends with it", async (t) => {
  const { sandbox, workdir } = await started(t, gated);
  assert.equal((await sandbox.harness("trigger", "job")).code, 0);
  const follower = spawn(programs.harness, ["logs", "job", "--follow"], {
    env: sandbox.env,
    cwd: sandbox.dir,
  });
  t.after(() => follower.kill("SIGKILL"));
  follower.stdout.setEncoding("utf8");
  let shown = "";
  while (!shown.includes("session ")) shown += String((await once(follower.stdout, "data"))[0]);
  assert.equal(shown.includes("outcome"), false);
  writeFileSync(join(workdir, "go"), "");
  shown += await text(follower.stdout);
  assert.match(shown, /call {5}Write edit {2}/);
  assert.match(shown, /^outcome {3}success /m);
  assert.match(shown, /^cost {6}\$0\.013317 \(recorded\)$/m);
});

test("run shows what the agent does and keeps it; two at a time do not wait for each other", async (t) => {
  const { sandbox, workdir } = await started(t, gated);
  const first = await sandbox.harness("run", "claude", "Make", "hello.txt", "--workdir", workdir, "--detach");
  assert.deepEqual([first.code, first.stdout], [0, "● scratch run 1 → running\n"], first.stderr);
  writeFileSync(join(workdir, "go"), "");
  const second = await sandbox.harness("run", "claude-code", "Make hello.txt", "--workdir", workdir);
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stdout, /^scratch(?:-2)? run \d, claude-code, scratch, started /);
  assert.match(second.stdout, /^outcome {3}success /m);
});

test("stop ends a throw-away run as well, and says what is left", async (t) => {
  const { sandbox, workdir } = await started(t, gated);
  await sandbox.harness("run", "claude", "x", "--workdir", workdir, "--detach");
  const stopped = await sandbox.harness("stop", "scratch", "--json");
  assert.equal(stopped.code, 0);
  assert.equal(jsonField(stopped.stdout, "state"), "stopped");
  assert.equal((await runsOf(sandbox))[0]?.outcome, "cancelled");
});

test("daemon stop ends runs and says so; with --leave-runs the next daemon takes them back whole", async (t) => {
  const { sandbox, workdir } = await started(t, gated);
  await sandbox.harness("trigger", "job");
  assert.equal((await sandbox.harness("daemon", "stop")).code, 0);
  const [ended] = await runsOf(sandbox);
  assert.deepEqual([ended?.outcome, ended?.runId], ["interrupted", 1]);
  await sandbox.startDaemon();
  rmSync(join(workdir, "waiting"), { force: true });
  await sandbox.harness("trigger", "job");
  assert.equal((await sandbox.harness("daemon", "stop", "--leave-runs")).code, 0);
  assert.equal((await runsOf(sandbox))[0]?.outcome, "running");
  assert.match((await sandbox.harness("list")).stdout, /^job +claude-code +● running\? /m);
  writeFileSync(join(workdir, "go"), "");
  await sandbox.startDaemon();
  await sandbox.harness("logs", "job", "--run", "2", "--follow");
  const [run] = await runsOf(sandbox);
  assert.deepEqual(
    [run?.runId, run?.outcome, run?.toolCalls, run?.costNanoUsd],
    [2, "success", 5, 13_317_000],
  );
  assert.equal(itemsOf(await logOf(sandbox, "job", 2)).filter((item) => item.type === "tool_call").length, 5);
});

test("a prompt file that has gone since is a recorded failure, and the next run goes well when it is back", async (t) => {
  const sandbox = createSandbox(t);
  installPlayer(sandbox);
  const workdir = sandbox.workdir("work", { ...playing({ capture: "claude/basic" }), "p.md": "Do it." });
  sandbox.config(`[harness.job]\nharness = "claude-code"\nworkdir = "work"\nprompt_file = "work/p.md"\n`);
  await sandbox.startDaemon();
  rmSync(join(workdir, "p.md"));
  const failed = await sandbox.harness("trigger", "job", "--wait");
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /p\.md/);
  writeFileSync(join(workdir, "p.md"), "Do it.");
  assert.equal((await sandbox.harness("trigger", "job", "--wait")).code, 0);
  assert.deepEqual(
    (await runsOf(sandbox)).map((run) => run.outcome),
    ["success", "failed"],
  );
});

test("logs --raw prints the masked stream, and the run log when the run has ended", async (t) => {
  const { sandbox } = await started(t, `#!/bin/sh\necho a word on stderr >&2\ncat ${capture}\n`);
  await sandbox.harness("trigger", "job", "--wait");
  const { stdout } = await sandbox.harness("logs", "job", "--raw");
  const [stream, log] = ["1.stream.jsonl", "1.log"].map((name) => join(sandbox.state, "jobs", "job", name));
  assert.equal(
    stdout,
    `==> ${stream} <==\n${readFileSync(capture, "utf8")}==> ${log} <==\na word on stderr\n`,
  );
  assert.equal(existsSync(join(sandbox.state, "jobs", "job", "1.stream.jsonl")), true);
});
