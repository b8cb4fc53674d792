import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isThere } from "../base/process-identity.ts";
import { CHANNEL_LIMIT, CHUNK_BYTES, TERMINAL_TAIL } from "../protocol/keeper.ts";
import { keeperLab, Listener, run, shell } from "./testing/keeper-lab.ts";

const LIMITS = { timeout: 60_000 };
const SIZE = { cols: 100, rows: 30 };

const onTerminal = (script: string, more = {}) => shell(script, { terminal: SIZE, ...more });

test(
  "H-52 a child on a terminal leads its session and group, and the terminal is its own, of the size that was asked for",
  LIMITS,
  async (t) => {
    const { connection } = await keeperLab(t);
    const script = `cut -d' ' -f5-8 /proc/$$/stat; stty size; for fd in 0 1 2; do readlink /proc/$$/fd/$fd; done; tty`;
    const child = await run(connection, "a", onTerminal(script));
    await child.whole();
    const [stat, size, ...names] = child.text("pty").trimEnd().split("\r\n");
    const [group, session, tty, foreground] = (stat ?? "").split(" ").map(Number);
    assert.deepEqual([group, session, foreground], [child.pid, child.pid, child.pid]);
    assert.notEqual(tty, 0);
    assert.equal(size, "30 100");
    assert.match(names[0] ?? "", /^\/dev\/pts\/\d+$/);
    assert.equal(new Set(names).size, 1, names.join(" "));
  },
);

test(
  "a terminal's master is close-on-exec: no sibling sees it, on a terminal or on pipes",
  LIMITS,
  async (t) => {
    const { connection } = await keeperLab(t);
    const live = ["a", "b", "c"];
    for (const name of live) await run(connection, name, onTerminal("exec sleep 60"));
    for (const spec of [shell("exec ls -l /proc/self/fd"), onTerminal("exec ls -l /proc/self/fd")]) {
      const child = await run(connection, `lists ${spec.terminal ? "terminal" : "pipes"}`, spec);
      await child.whole();
      const listing = child.text("stdout") + child.text("pty");
      assert.match(listing, /\/dev\/|pipe:/, "the listing shows descriptors at all");
      assert.doesNotMatch(listing, /ptmx/);
    }
    for (const name of live) await connection.signalGroup(name, "SIGKILL");
  },
);

test("a child on a terminal is hung up when the keeper is killed", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const child = await run(connection, "a", onTerminal("exec sleep 60"));
  assert.equal(isThere({ pid: child.pid }), true);
  process.kill(connection.pid, "SIGKILL");
  await connection.closed;
  while (isRunning(child.pid)) await new Promise((resolve) => setImmediate(resolve));
});

test("exit code, signal and a spawn that fails are told as for a child on pipes", LIMITS, async (t) => {
  const { connection, dir } = await keeperLab(t);
  const exited = await run(connection, "exit", onTerminal("exit 3"));
  await exited.until((child) => child.exited !== undefined);
  assert.deepEqual([exited.exited?.code, exited.exited?.signal], [3, null]);
  const killed = await run(connection, "kill", onTerminal("kill -9 $$"));
  await killed.until((child) => child.exited !== undefined);
  assert.deepEqual([killed.exited?.code, killed.exited?.signal], [null, "SIGKILL"]);
  const script = join(dir, "script");
  writeFileSync(script, "#!/no/such/interpreter\n", { mode: 0o755 });
  const plain = join(dir, "plain");
  writeFileSync(plain, "");
  chmodSync(plain, 0o644);
  const failures: [string, string, string][] = [
    ["no-such-program", "/", "program_not_found"],
    [plain, "/", "program_not_executable"],
    [script, "/", "interpreter_missing"],
    ["/bin/true", "/no/such/folder", "workdir_missing"],
  ];
  for (const [file, cwd, reason] of failures) {
    const spawned = await connection.spawn(file, { ...onTerminal(""), file, args: [], cwd });
    assert.equal("failure" in spawned && spawned.failure.reason, reason);
  }
});

test("input reaches the child, and ctrl-C its foreground group", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const child = await run(connection, "a", onTerminal("read line; echo got $line; exec sleep 60"));
  connection.write("a", Buffer.from("hello\n"));
  await child.until(() => child.text("pty").includes("got hello\r\n"));
  connection.write("a", Buffer.from("\u0003"));
  await child.until(({ gone }) => gone);
  assert.equal(child.exited?.signal, "SIGINT");
});

test("a new size is told to the child by SIGWINCH", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const child = await run(
    connection,
    "a",
    onTerminal("trap 'stty size; exit' WINCH; echo up; while :; do sleep 0.02; done"),
  );
  await child.until(() => child.text("pty").includes("up"));
  connection.resize("a", { cols: 132, rows: 43 });
  await child.whole();
  assert.match(child.text("pty"), /43 132\r\n$/);
  const [held] = await connection.list();
  assert.deepEqual(held !== undefined && "child" in held && held.terminal, { cols: 132, rows: 43 });
});

test("signals reach background children too, and what outlives the leader is hung up", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const child = await run(connection, "a", onTerminal("sleep 60 & sleep 60 & wait"));
  await connection.signalGroup("a", "SIGKILL");
  await child.until(({ gone }) => gone);
  const leaves = await run(connection, "b", onTerminal("sleep 60 & echo up"));
  await leaves.until(({ gone }) => gone);
  assert.equal(leaves.exited?.code, 0);
});

test("nothing of a flood is lost, and without credit the child waits", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const lines = 400_000;
  const child = await run(connection, "a", onTerminal(`stty -opost; exec seq 1 ${lines}`), {
    acknowledge: false,
  });
  await child.until(({ bytes }) => Buffer.concat(bytes.pty).length > CHANNEL_LIMIT - CHUNK_BYTES);
  assert.equal(child.exited, undefined);
  assert.ok(child.next("pty") <= CHANNEL_LIMIT, String(child.next("pty")));
  connection.ack("a", "pty", child.next("pty"));
  const rest = new Listener(connection, "a", { from: { pty: child.next("pty") } });
  await rest.whole();
  const expected = Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join("");
  assert.equal(child.text("pty") + rest.text("pty"), expected);
});

test(
  "a terminal's last bytes stay readable after they are acknowledged, and no more of them",
  LIMITS,
  async (t) => {
    const { connection, connect } = await keeperLab(t);
    const child = await run(connection, "a", onTerminal("stty -opost; seq 1 200000; exec sleep 60"));
    await child.until(() => child.text("pty").endsWith("\n200000\n"));
    const head = child.next("pty");
    const next = await connect(2);
    const [held] = await next.list();
    const pty = held !== undefined && "child" in held ? held.channels.pty : undefined;
    assert.ok(pty !== undefined);
    assert.equal(pty.head, head);
    const kept = head - pty.tail;
    assert.ok(kept >= TERMINAL_TAIL && kept <= TERMINAL_TAIL + 16 * 1024, String(kept));
    const again = new Listener(next, "a", { from: { pty: pty.tail } });
    await next.read("a", "pty", pty.tail);
    await again.until(() => again.next("pty") === head);
    assert.equal(again.text("pty"), child.text("pty").slice(pty.tail));
    await next.signalGroup("a", "SIGKILL");
    await again.until(({ gone }) => gone);
  },
);

test(
  "two hundred terminals, one after the other, leave no descriptor, thread or zombie",
  LIMITS,
  async (t) => {
    const { connection } = await keeperLab(t);
    const counts = () => ({
      fds: readdirSync(`/proc/${connection.pid}/fd`).length,
      threads: readdirSync(`/proc/${connection.pid}/task`).length,
    });
    const once = async (name: string): Promise<void> => {
      const child = await run(connection, name, onTerminal("echo hi"));
      await child.until(({ gone }) => gone);
      await child.whole();
      await connection.forget(name);
    };
    await once("first");
    const before = counts();
    for (let number = 0; number < 200; number += 1) await once(`run ${number}`);
    assert.deepEqual(counts(), before);
    const children = readFileSync(`/proc/${connection.pid}/task/${connection.pid}/children`, "utf8");
    assert.equal(children.trim(), "");
  },
);

test("a child of a terminal that leaves it by setsid is reaped by the keeper", LIMITS, async (t) => {
  const { connection, dir } = await keeperLab(t);
  const watcher = watch(dir);
  const child = await run(
    connection,
    "a",
    onTerminal(
      `cd ${dir}; setsid sh -c 'echo $$ > tmp; mv tmp pid; while [ ! -f go ]; do sleep 0.02; done' & wait`,
    ),
  );
  while (!existsSync(join(dir, "pid"))) await once(watcher, "change");
  watcher.close();
  await connection.signalGroup("a", "SIGKILL");
  await child.until(({ gone }) => gone);
  const stray = Number(readFileSync(join(dir, "pid"), "utf8"));
  assert.equal(isThere({ pid: stray }), true);
  writeFileSync(join(dir, "go"), "");
  // Gone for good, not a zombie: its status was taken.
  while (isThere({ pid: stray })) await new Promise((resolve) => setImmediate(resolve));
});

/** Whether a process is there and is no zombie. */
const isRunning = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
