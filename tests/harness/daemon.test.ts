import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { DaemonStatus } from "@orphus/harness/client";
import { isAlive, modeOf } from "../support/facts.ts";
import { claudeHarness, installPlayer, playing, runsOf } from "../support/runs.ts";
import { createSandbox, programs, type Sandbox } from "../support/sandbox.ts";

const statusOf = async (sandbox: Sandbox): Promise<DaemonStatus> => {
  const { code, stdout, stderr } = await sandbox.harness("daemon", "status", "--json");
  assert.equal(code, 0, stderr);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
  return JSON.parse(stdout) as DaemonStatus;
};

const errorOf = (stdout: string): { code: string; message: string; hint?: string } => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
  return (JSON.parse(stdout) as { error: { code: string; message: string; hint?: string } }).error;
};

/** The daemon in the foreground; resolves when it says that it is up. */
const foreground = async (t: TestContext, sandbox: Sandbox) => {
  const child = spawn(programs.harness, ["daemon"], {
    env: sandbox.env,
    cwd: sandbox.dir,
    stdio: ["ignore", "inherit", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8");
  const says = async (words: RegExp): Promise<void> => {
    while (!words.test(log)) log += String((await once(child.stderr, "data"))[0]);
  };
  await says(/ up: pid /);
  return { child, says };
};

test("a daemon without a configuration file has no harnesses, and status and stop tell what they did", async (t) => {
  const sandbox = createSandbox(t);
  delete sandbox.env["HARNESS_CONFIG"];
  await sandbox.startDaemon();
  const status = await statusOf(sandbox);
  assert.deepEqual([status.config, status.harnesses, status.running], [null, 0, 0]);
  assert.equal(status.stateDir, sandbox.state);
  assert.equal(isAlive(status.pid), true);
  const stopped = await sandbox.harness("daemon", "stop");
  assert.equal(stopped.stdout, `○ daemon → stopped (pid ${status.pid})\n`);
  assert.equal(existsSync(join(sandbox.state, "harness.sock")), false);
  const gone = await sandbox.harness("daemon", "status");
  assert.deepEqual(
    [gone.code, gone.stderr],
    [
      1,
      "harness: error: The daemon is not running.\nharness: hint: start it with: harness daemon --detach\n",
    ],
  );
});

test("a stopped daemon leaves room for the next at once", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config("");
  for (let round = 0; round < 3; round += 1) {
    await sandbox.startDaemon();
    assert.equal((await sandbox.harness("daemon", "stop")).code, 0);
  }
});

test("a second daemon is refused with the first one's pid, in both forms, and the first goes on", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config("");
  await sandbox.startDaemon();
  const { pid } = await statusOf(sandbox);
  for (const args of [["daemon"], ["daemon", "--detach"]]) {
    const second = await sandbox.harness(...args);
    assert.equal(second.code, 1);
    assert.match(
      second.stderr,
      new RegExp(`^harness: error: A daemon is already running .* with pid ${pid}\\.\n`),
    );
    assert.match(second.stderr, /^harness: hint: .*harness daemon stop$/m);
  }
  const json = await sandbox.harness("daemon", "--detach", "--json");
  assert.equal(errorOf(json.stdout).code, "daemon_running");
  assert.equal((await statusOf(sandbox)).pid, pid);
});

test("a killed daemon's socket and lock are in nobody's way", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config("");
  const { child } = await foreground(t, sandbox);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.equal(existsSync(join(sandbox.state, "harness.sock")), true);
  await sandbox.startDaemon();
  assert.notEqual((await statusOf(sandbox)).pid, child.pid);
});

test("SIGTERM and SIGINT stop the daemon with 0; SIGHUP loads the configuration again", async (t) => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const sandbox = createSandbox(t);
    sandbox.config("");
    const { child, says } = await foreground(t, sandbox);
    child.kill("SIGHUP");
    await says(/ info  SIGHUP: 0 harnesses; nothing is different/);
    assert.equal((await statusOf(sandbox)).pid, child.pid);
    child.kill(signal);
    await once(child, "exit");
    assert.deepEqual([child.exitCode, child.signalCode], [0, null]);
    assert.equal(existsSync(join(sandbox.state, "harness.sock")), false);
  }
});

test("a configuration that is missing, unreadable, a folder or malformed is named, and nothing starts", async (t) => {
  const sandbox = createSandbox(t);
  const file = join(sandbox.dir, "harness.toml");
  const refusal = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await sandbox.harness("daemon", ...args);
    assert.equal(code, 1);
    assert.match(stderr, /^harness: hint: /m);
    assert.equal(existsSync(join(sandbox.state, "harness.sock")), false);
    return stderr;
  };
  assert.ok((await refusal()).includes(`${file} does not exist`));
  assert.ok((await refusal("--detach")).includes(`${file} does not exist`));
  writeFileSync(file, "[harness.a]\nharness = codex\n");
  assert.match(await refusal(), /harness\.toml:2:11: /);
  assert.match(await refusal("--detach"), /harness\.toml:2:11: /);
  sandbox.config('[harness.a]\nharness = "codex"\nprompt = "x"\nretries = 3\n');
  assert.match(await refusal(), /harness\.toml:4:1: \[harness\.a\] retries: unknown key/);
  const other = join(sandbox.dir, "folder");
  mkdirSync(other);
  assert.ok((await refusal("--config", other)).includes(`${other} is a folder`));
});

test(
  "an unreadable configuration is named",
  { skip: process.getuid?.() === 0 && "root reads every file" },
  async (t) => {
    const sandbox = createSandbox(t);
    chmodSync(sandbox.config(""), 0o000);
    const { code, stderr } = await sandbox.harness("daemon");
    assert.equal(code, 1);
    assert.match(stderr, /cannot be read/);
  },
);

test("a state folder whose path is too long for a socket is refused with what to do", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config("");
  const { code, stderr } = await sandbox.harness("--state-dir", join(sandbox.dir, "x".repeat(100)), "daemon");
  assert.equal(code, 1);
  assert.match(stderr, /the system allows 10\d/);
  assert.match(stderr, /HARNESS_STATE_DIR/);
});

test("a state folder that was open to others is closed to them, and the detached daemon logs there", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config("");
  mkdirSync(sandbox.state, { mode: 0o755 });
  await sandbox.startDaemon();
  assert.equal(modeOf(sandbox.state), 0o700);
  assert.equal(modeOf(join(sandbox.state, "harness.sock")), 0o600);
  const log = join(sandbox.state, "daemon.log");
  assert.equal(modeOf(log), 0o600);
  assert.match(readFileSync(log, "utf8"), / info  up: pid \d+, 0 harnesses from /);
});

test("a state folder that cannot be made, or whose store is none, is refused with what to do", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config("");
  writeFileSync(join(sandbox.dir, "file"), "");
  const places = [
    join(sandbox.dir, "file", "state"),
    join(sandbox.dir, "file"),
    "/proc/no-such-folder/state",
  ];
  for (const place of places) {
    const { code, stderr } = await sandbox.harness("--state-dir", place, "daemon", "--detach");
    assert.equal(code, 1, place);
    assert.ok(stderr.includes(`The state folder ${place} cannot be used`), stderr);
    assert.match(stderr, /^harness: hint: .*HARNESS_STATE_DIR/m);
  }
  mkdirSync(sandbox.state);
  writeFileSync(join(sandbox.state, "harness.db"), "this is no database ".repeat(500));
  const { code, stderr } = await sandbox.harness("daemon", "--detach");
  assert.equal(code, 1);
  assert.match(stderr, /^harness: error: The store /);
  assert.match(stderr, /^harness: hint: /m);
});

test("garbage on the socket harms nobody", async (t) => {
  const sandbox = createSandbox(t);
  sandbox.config("");
  await sandbox.startDaemon();
  const { pid } = await statusOf(sandbox);
  for (const bytes of [
    "\0\0\0\0",
    "GET / HTTP/1.1\r\n\r\n",
    '{"jsonrpc":"2.0"',
    "x".repeat(3 << 20),
    "\n\n{}\n[]\n",
  ]) {
    const socket = createConnection(join(sandbox.state, "harness.sock"));
    socket.on("error", () => undefined);
    socket.end(bytes);
    socket.resume();
    await once(socket, "close");
  }
  assert.equal((await statusOf(sandbox)).pid, pid);
});

test("verbs that need the daemon say so; verbs that read work without it", async (t) => {
  const sandbox = createSandbox(t);
  installPlayer(sandbox);
  sandbox.config(claudeHarness("job", sandbox.workdir("work", playing({ capture: "claude/basic" }))));
  for (const args of [
    ["trigger", "job"],
    ["stop", "job"],
    ["run", "claude", "x"],
    ["daemon", "stop"],
  ]) {
    const { code, stdout } = await sandbox.harness("--json", ...args);
    assert.equal(code, 1, args[0]);
    assert.equal(errorOf(stdout).code, "daemon_not_running", args[0]);
  }
  assert.deepEqual(await runsOf(sandbox), []);
  await sandbox.startDaemon();
  assert.equal((await sandbox.harness("trigger", "job", "--wait")).code, 0);
  const lived = {
    list: await sandbox.harness("list"),
    runs: await runsOf(sandbox),
    logs: await sandbox.harness("logs", "job"),
  };
  await sandbox.harness("daemon", "stop");
  assert.deepEqual(await runsOf(sandbox), lived.runs);
  const logs = await sandbox.harness("logs", "job");
  assert.equal(logs.stdout, lived.logs.stdout);
  assert.match(logs.stderr, /^harness: warning: .*not running/);
  assert.equal((await sandbox.harness("list")).stdout, lived.list.stdout);
});
