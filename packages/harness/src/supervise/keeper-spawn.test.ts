import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { KeeperConnection } from "./keeper-connection.ts";
import { keeperEntry, keeperGeneration, keeperSocket } from "./keeper-program.ts";
import { keeperLab, run, shell } from "./testing/keeper-lab.ts";

const LIMITS = { timeout: 60_000 };

test("H-49 stdout and stderr are two real pipes, which a child can open by name", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const script = `readlink /proc/$$/fd/1 /proc/$$/fd/2
    echo by name > /dev/stdout; echo aside > /dev/stderr; printf 'no newline'`;
  const child = await run(connection, "a", shell(script));
  await child.whole();
  const [stdout, stderr, ...rest] = child.text("stdout").split("\n");
  assert.match(stdout ?? "", /^pipe:\[\d+\]$/);
  assert.match(stderr ?? "", /^pipe:\[\d+\]$/);
  assert.notEqual(stdout, stderr);
  assert.deepEqual(rest, ["by name", "no newline"]);
  assert.equal(child.text("stderr"), "aside\n");
});

test("H-54 stdin is /dev/null, and no other descriptor reaches the child", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  // A second run is open meanwhile: its pipes must not be there either.
  const other = await run(connection, "other", shell("exec sleep 60"));
  // The shell itself keeps none; `ls` has one more for the folder it lists.
  const child = await run(connection, "a", shell("readlink /proc/self/fd/0; exec ls -l /proc/self/fd"));
  await child.whole();
  const [stdin, ...listing] = child.text("stdout").trim().split("\n");
  assert.equal(stdin, "/dev/null");
  const open = listing
    .slice(1)
    .map((line) => line.replace(/^.* (\d+ -> \S+)$/, "$1").replaceAll(/\d{3,}/g, "N"));
  assert.deepEqual(open, ["0 -> /dev/null", "1 -> pipe:[N]", "2 -> pipe:[N]", "3 -> /proc/N/fd"]);
  await connection.signalGroup("other", "SIGKILL");
  await other.until(({ gone }) => gone);
});

test("a keeper keeps nothing open of what it was started with", LIMITS, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "hk-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const socket = keeperSocket(dir, keeperGeneration());
  const stray = openSync(join(dir, "stray"), "w");
  const ignored = Array.from({ length: 200 }, () => "ignore" as const);
  const keeper = spawn(process.execPath, [keeperEntry, socket], {
    env: {},
    stdio: ["ignore", "pipe", "inherit", ...ignored, stray],
  });
  closeSync(stray);
  assert.ok(keeper.stdout !== null);
  await once(keeper.stdout, "data");
  const fds = `/proc/${keeper.pid}/fd`;
  const open = readdirSync(fds).map((fd) => readlinkSync(join(fds, fd)));
  assert.ok(open.includes("/dev/null"), open.join(" "));
  assert.deepEqual(
    open.filter((target) => target.startsWith(dir)),
    [],
  );
  const connection = await KeeperConnection.open(socket, 1);
  const ended = once(keeper, "exit");
  await connection.quit();
  await ended;
});

test(
  "H-55 H-56 the child leads a session and a group of its own, without a controlling terminal",
  LIMITS,
  async (t) => {
    const { connection } = await keeperLab(t);
    const child = await run(connection, "a", shell("cut -d' ' -f5-7 /proc/$$/stat"));
    await child.whole();
    // Process group, session, and 0 for no terminal.
    assert.equal(child.text("stdout"), `${child.pid} ${child.pid} 0\n`);
  },
);

test(
  "the child has the arguments, folder, environment and mask it was given, and nothing else",
  LIMITS,
  async (t) => {
    const { connection, dir } = await keeperLab(t);
    const spec = {
      file: "node-printing-itself",
      args: ["two words", "", "é"],
      cwd: dir,
      env: { PATH: join(dir, "bin"), ONLY: "this one" },
      umask: 0o027,
    };
    const bin = join(dir, "bin");
    const program = `#!/bin/sh
/bin/cat /proc/self/environ | /usr/bin/tr '\\0' '\\n'; pwd; umask; for word in "$@"; do echo "[$word]"; done
`;
    mkdirSync(bin);
    writeFileSync(join(bin, spec.file), program, { mode: 0o755 });
    const child = await run(connection, "a", spec);
    await child.whole();
    const lines = child.text("stdout").trim().split("\n");
    // The shell adds its own PWD.
    assert.deepEqual(
      lines
        .slice(0, -5)
        .filter((line) => !/^(?:PWD|OLDPWD|_|SHLVL)=/.test(line))
        .sort(),
      ["ONLY=this one", `PATH=${bin}`],
    );
    assert.deepEqual(lines.slice(-5), [dir, "0027", "[two words]", "[]", "[é]"]);
    assert.equal(child.text("stderr"), "");
  },
);

test("what cannot be started has its reason, and keeps it until it is forgotten", LIMITS, async (t) => {
  const { connection, dir } = await keeperLab(t);
  writeFileSync(join(dir, "plain"), "#!/bin/sh\n", { mode: 0o644 });
  writeFileSync(join(dir, "lost"), "#!/no/such/interpreter\n", { mode: 0o755 });
  const reasonOf = async (name: string, spec: Parameters<typeof shell>[1]): Promise<string> => {
    const spawned = await connection.spawn(name, shell("true", spec));
    return "failure" in spawned ? `${spawned.failure.reason} ${spawned.failure.code}` : "started";
  };
  assert.equal(await reasonOf("a", { file: "no-such-program" }), "program_not_found ENOENT");
  assert.equal(await reasonOf("b", { file: join(dir, "plain") }), "program_not_executable EACCES");
  assert.equal(await reasonOf("c", { file: join(dir, "lost") }), "interpreter_missing ENOENT");
  assert.equal(await reasonOf("d", { cwd: join(dir, "gone") }), "workdir_missing ENOENT");
  assert.equal(await reasonOf("e", { args: ["-c", "x".repeat(3_000_000)] }), "other E2BIG");
  assert.equal(await reasonOf("f", { file: "a\0b" }), "other ERR_INVALID_ARG_VALUE");
  // Asked again, even for what would start, the first answer stands.
  assert.equal(await reasonOf("a", {}), "program_not_found ENOENT");
  assert.deepEqual((await connection.list()).map(({ run }) => run).sort(), ["a", "b", "c", "d", "e", "f"]);
  await connection.forget("a");
  assert.equal(await reasonOf("a", {}), "started");
});

test("the same run twice is the same child", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const [first, second] = await Promise.all([
    connection.spawn("a", shell("exec sleep 60")),
    connection.spawn("a", shell("exec sleep 60")),
  ]);
  const third = await connection.spawn("a", shell("exec sleep 60"));
  assert.ok("child" in first);
  assert.deepEqual(second, first);
  assert.deepEqual(third, first);
  const stat = readFileSync(`/proc/${first.child.pid}/stat`, "utf8");
  assert.equal(String(first.child.startTime), stat.split(" ")[21]);
});

test("exit and end of output are separate facts, and both are kept", LIMITS, async (t) => {
  const { connection, connect } = await keeperLab(t);
  // The child closes its output and lives on; then ends with a status.
  const child = await run(
    connection,
    "a",
    shell("echo out; exec >&- 2>&-; read line < /dev/null; kill -TERM $$"),
  );
  await child.whole();
  await child.until(({ exited }) => exited !== undefined);
  assert.equal(child.exited?.code, null);
  assert.equal(child.exited?.signal, "SIGTERM");
  connection.close();
  const [held] = await (await connect(1)).list();
  assert.ok(held !== undefined && "child" in held);
  assert.deepEqual(held.exit, child.exited);
  assert.equal(held.groupGone, true);
  assert.deepEqual(held.channels.stdout, { tail: 4, acked: 4, head: 4, eof: true });
});

test("the socket is ours alone", LIMITS, async (t) => {
  const { socket } = await keeperLab(t);
  assert.equal(statSync(socket).mode & 0o777, 0o600);
});

test("a hundred runs later there is no descriptor and no zombie more", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const keeperPid = connection.pid;
  const once = async (name: string): Promise<void> => {
    // The grandchild is orphaned, and so ends as the keeper's.
    const child = await run(connection, name, shell("(sleep 0.01; echo late) & echo early"));
    await child.whole();
    await child.until(({ gone }) => gone);
    await connection.forget(name);
  };
  const descriptors = (): number => readdirSync(`/proc/${keeperPid}/fd`).length;
  const children = (): string => readFileSync(`/proc/${keeperPid}/task/${keeperPid}/children`, "utf8");
  await once("warm");
  const before = descriptors();
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 10 }, (_, index) => once(`${round}-${index}`)));
  }
  assert.equal(descriptors(), before);
  assert.equal(children(), "");
});
