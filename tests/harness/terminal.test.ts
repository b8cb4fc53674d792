import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { attach, connect } from "@orphus/harness/client";
import { modeOf, isAlive } from "../support/facts.ts";
import { runsOf } from "../support/runs.ts";
import { createSandbox, programs, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

/** A terminal program: greets, says its size, and answers each line. */
const resident = `#!/bin/sh
trap 'stty size | sed "s/^/size /"' WINCH
echo "resident $* pid $$"
while :; do read -r line || continue; echo "heard $line"; [ "$line" = bye ] && exit 5; done
`;

const started = async (sandbox: Sandbox, name: string): Promise<void> => {
  const { code, stderr } = await sandbox.harness("trigger", name);
  assert.equal(code, 0, stderr);
};

const screenOf = async (sandbox: Sandbox, name: string): Promise<string> =>
  (await sandbox.harness("capture", name)).stdout;

const shows = (sandbox: Sandbox, name: string, words: string | RegExp): Promise<string> =>
  until(`${name} shows ${String(words)}`, async () => {
    const screen = await screenOf(sandbox, name);
    return (typeof words === "string" ? screen.includes(words) : words.test(screen)) && screen;
  });

/** Attached as a program is, with all it was sent. */
const attached = async (sandbox: Sandbox, name: string, more: { readOnly?: boolean; cols?: number } = {}) => {
  let seen = "";
  const attachment = await attach({
    socket: join(sandbox.state, "harness.sock"),
    name: "test",
    request: { name, readOnly: more.readOnly ?? false },
    size: { cols: more.cols ?? 90, rows: 20 },
    output: (bytes) => {
      seen += Buffer.from(bytes).toString();
    },
  });
  const type = (text: string): void => attachment.input(Buffer.from(text));
  const sees = (words: string): Promise<boolean> => until(`sees ${words}`, () => seen.includes(words));
  return { ...attachment, type, sees, seen: () => seen };
};

test("H-19 H-180 H-182 H-183 a resident runs on a terminal that is captured, attached to, resized and logged", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.agent("claude", { script: resident });
  sandbox.config(`[harness.tui]
harness = "claude-code"
model = "m"
restart = "no"
workdir = ${JSON.stringify(sandbox.workdir("work"))}
`);
  await sandbox.startDaemon();
  const nobody = await sandbox.harness("capture", "tui", "--json");
  assert.match(nobody.stdout, /"no_terminal"/);
  await started(sandbox, "tui");
  const screen = await shows(sandbox, "tui", "resident --model m pid ");
  const pid = Number(/pid (\d+)/.exec(screen)?.[1]);
  assert.equal(isAlive(pid), true);
  // The first of two who look is shown what was there before it came, and both what comes.
  const first = await attached(sandbox, "tui");
  await first.sees("resident --model m");
  await first.sees("size 20 90");
  const watcher = await attached(sandbox, "tui", { readOnly: true, cols: 60 });
  await first.sees("size 20 60");
  watcher.type("not heard\n");
  first.type("hello\n");
  await Promise.all([first.sees("heard hello"), watcher.sees("heard hello")]);
  assert.ok(!first.seen().includes("not heard"));
  // Detaching ends one client's view and nothing else.
  watcher.detach();
  assert.equal(await watcher.ended, undefined);
  await first.sees("size 20 90");
  first.type("bye\n");
  assert.match((await first.ended) ?? "", /^run 1 has ended: failed, exit 5$/);
  const [run] = await runsOf(sandbox);
  assert.deepEqual([run?.kind, run?.outcome, run?.exitCode], ["resident", "failed", 5]);
  const log = join(sandbox.state, "logs", "tui.log");
  const text = readFileSync(log, "utf8");
  assert.match(text, /^\[harness\] \S+ run 1 starts\n/);
  assert.match(text, /\nheard hello\n(?:.*\n)*.*run 1 ends: exit 5\n$/);
  assert.equal(modeOf(log), 0o600);
  assert.equal(existsSync(join(sandbox.state, "jobs", "tui", "1.log")), false);
});

test("H-21 H-52 a prompt of an agent without a stream runs on a terminal, with a log of its own and no stream file", async (t) => {
  const sandbox = createSandbox(t);
  const workdir = sandbox.workdir("work", { "secrets.env": "" });
  const value = ["tok", "4711", "aaaaaaaaaaaa"].join("-");
  sandbox.agent("crush", {
    script: `#!/bin/sh\ntest -t 1 && echo "on a terminal: $*"\necho "key is $KEY"\n`,
  });
  sandbox.config(`[harness.ask]
harness = "crush"
prompt = "Do it."
env_file = ${JSON.stringify(join(sandbox.dir, "a.env"))}
workdir = ${JSON.stringify(workdir)}
`);
  sandbox.secret("a.env", `KEY=${value}\n`);
  await sandbox.startDaemon();
  const finished = await sandbox.harness("trigger", "ask", "--wait");
  assert.equal(finished.code, 0, finished.stderr);
  const [run] = await runsOf(sandbox);
  // Without a session there is no trace; nothing is guessed.
  assert.deepEqual(
    [run?.kind, run?.outcome, run?.reason, run?.traceMissing],
    ["oneshot", "success", "exit 0", true],
  );
  const log = readFileSync(join(sandbox.state, "jobs", "ask", "1.log"), "utf8");
  assert.match(log, /on a terminal: run --quiet Do it\.\n/);
  assert.match(log, /key is \[REDACTED\]\n/);
  assert.equal(existsSync(join(sandbox.state, "jobs", "ask", "1.stream.jsonl")), false);
  assert.ok(!readFileSync(join(sandbox.state, "logs", "ask.log"), "utf8").includes(value));
});

test("H-22 a bound command runs on a terminal, and harness attach shows one inside it until ctrl-b d", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.agent("claude", { script: resident });
  const quoted = (words: string[]): string => JSON.stringify(words);
  sandbox.config(`[harness.tui]
harness = "claude-code"
[harness.viewer]
harness = "command"
transcripts = "claude-code"
restart = "no"
inherit_env = ["PATH", "HOME", "HARNESS_CONFIG"]
argv = ${quoted([programs.harness, "attach", "tui"])}
`);
  await sandbox.startDaemon();
  await started(sandbox, "tui");
  await shows(sandbox, "tui", "resident");
  await started(sandbox, "viewer");
  await shows(sandbox, "viewer", "resident");
  const outer = await attached(sandbox, "viewer");
  outer.type("through two terminals\n");
  await outer.sees("heard through two terminals");
  outer.type("\u0002d");
  await outer.sees("detached from tui");
  assert.match((await outer.ended) ?? "", /exit 0/);
  assert.match(await screenOf(sandbox, "tui"), /heard through two terminals/);
});

test("a resident and its screen outlive a daemon that is killed, with nothing of the log lost or doubled", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.agent("claude", {
    script: `#!/bin/sh
n=0; while read -r line; do for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do n=$((n+1)); echo "line $n"; done; done
`,
  });
  sandbox.config('[harness.tui]\nharness = "claude-code"\nrestart = "no"\n');
  await sandbox.startDaemon();
  await started(sandbox, "tui");
  const first = await attached(sandbox, "tui");
  for (let round = 1; round <= 10; round += 1) {
    first.type("\n");
    await first.sees(`line ${round * 20}\r\n`);
  }
  const client = await connect({ socket: join(sandbox.state, "harness.sock"), name: "test" });
  process.kill(client.daemon.pid, "SIGKILL");
  assert.equal(await first.ended, "the daemon is gone");
  await client.closed;
  await sandbox.startDaemon();
  await shows(sandbox, "tui", /line 200\n$/);
  const second = await attached(sandbox, "tui");
  for (let round = 11; round <= 20; round += 1) {
    second.type("\n");
    await second.sees(`line ${round * 20}\r\n`);
  }
  assert.equal((await sandbox.harness("stop", "tui")).code, 0);
  const numbers = readFileSync(join(sandbox.state, "logs", "tui.log"), "utf8").match(/(?<=^line )\d+/gm);
  assert.deepEqual(
    numbers?.map(Number),
    Array.from({ length: 400 }, (_, index) => index + 1),
  );
});
