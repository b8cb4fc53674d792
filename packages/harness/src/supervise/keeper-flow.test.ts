import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createConnection } from "node:net";
import { test } from "node:test";
import { CHANNEL_LIMIT, CHUNK_BYTES } from "../protocol/keeper.ts";
import { encodeToKeeper } from "../protocol/keeper-messages.ts";
import { KeeperConnection, KeeperRefusal } from "./keeper-connection.ts";
import { keeperLab, Listener, run, shell } from "./testing/keeper-lab.ts";

const LIMITS = { timeout: 60_000 };
const MEBIBYTE = 1024 * 1024;

const refusedAs = (code: string) => (error: unknown) => error instanceof KeeperRefusal && error.code === code;

/** Writes numbered lines, so that a byte lost or doubled anywhere shows. */
const numbers = (count: number): string => `exec seq 1 ${count}`;
const numbersText = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");

test(
  "credit: a channel that is not acknowledged stops at its limit, and its child waits",
  LIMITS,
  async (t) => {
    const { connection } = await keeperLab(t);
    const child = await run(connection, "a", shell(`head -c ${3 * MEBIBYTE} /dev/zero; echo done >&2`), {
      acknowledge: false,
    });
    await child.until(({ bytes }) => Buffer.concat(bytes.stdout).length > CHANNEL_LIMIT - CHUNK_BYTES);
    // A whole other run comes and goes meanwhile: the slow one stops nobody, and has not moved.
    const other = await run(connection, "b", shell(numbers(200_000)));
    await other.whole();
    assert.equal(other.text("stdout"), numbersText(200_000));
    const [held] = await connection.list();
    assert.ok(held !== undefined && "child" in held);
    assert.ok((held.channels.stdout?.head ?? Infinity) <= CHANNEL_LIMIT, String(held.channels.stdout?.head));
    assert.equal(child.text("stderr"), "");
    assert.equal(child.exited, undefined);
    // Credit again: it goes on to its end.
    const rest = new Listener(connection, "a", {
      from: { stdout: child.next("stdout"), stderr: child.next("stderr") },
    });
    connection.ack("a", "stdout", child.next("stdout"));
    await rest.whole();
    assert.equal(rest.next("stdout"), 3 * MEBIBYTE);
    assert.equal(rest.text("stderr"), "done\n");
  },
);

test(
  "a channel nobody reads is held from its first byte, and read from any byte still held",
  LIMITS,
  async (t) => {
    const { connection } = await keeperLab(t);
    await connection.spawn("a", shell("echo 0123456789"));
    const child = new Listener(connection, "a", { acknowledge: false });
    await child.until(({ lengths }) => lengths.stdout === 11);
    assert.equal(child.text("stdout"), "");
    await connection.read("a", "stdout", 0);
    await child.until(({ bytes }) => bytes.stdout.length > 0);
    assert.equal(child.text("stdout"), "0123456789\n");
    connection.ack("a", "stdout", 4);
    await assert.rejects(connection.read("a", "stdout", 3), refusedAs("let_go"));
    await assert.rejects(connection.read("a", "stdout", 12), refusedAs("bad_request"));
    const again = new Listener(connection, "a", { from: { stdout: 4, stderr: 0 } });
    await connection.read("a", "stdout", 4);
    await again.until(({ bytes }) => bytes.stdout.length > 0);
    assert.equal(again.text("stdout"), "456789\n");
  },
);

test(
  "a daemon that dies loses no byte and doubles none: the next goes on from the last acknowledged",
  LIMITS,
  async (t) => {
    const { connection, connect } = await keeperLab(t);
    const total = 400_000;
    const first = new Listener(connection, "a", { acknowledge: false });
    await connection.spawn("a", shell(numbers(total)));
    await connection.read("a", "stdout", 0);
    await first.until((listener) => listener.next("stdout") >= 300_000);
    // Committed up to somewhere in a line, and then no more.
    const committed = 200_001;
    connection.ack("a", "stdout", committed);
    await connection.list();
    connection.close();
    const kept = first.text("stdout").slice(0, committed);
    for (const epoch of [2, 3]) {
      // One that comes, reads without acknowledging, and goes; and one that stays.
      const next = await connect(epoch);
      const [held] = await next.list();
      assert.ok(held !== undefined && "child" in held);
      assert.equal(held.channels.stdout?.acked, committed);
      const listener = new Listener(next, "a", {
        acknowledge: epoch === 3,
        from: { stdout: committed, stderr: 0 },
      });
      await next.read("a", "stdout", committed);
      await next.read("a", "stderr", 0);
      if (epoch === 2) {
        await listener.until(({ bytes }) => bytes.stdout.length > 3);
        next.close();
        continue;
      }
      await listener.until((heard) => heard.exited !== undefined || held.exit !== undefined);
      await listener.until((heard) => heard.lengths.stdout === heard.next("stdout"));
      assert.equal(kept + listener.text("stdout"), numbersText(total));
      next.close();
    }
  },
);

test(
  "a higher epoch displaces a daemon, a lower one is refused, the same may come again",
  LIMITS,
  async (t) => {
    const { connection, connect, socket } = await keeperLab(t);
    const held = await run(connection, "a", shell("exec sleep 60"));
    const later = await connect(7);
    assert.equal(await connection.closed, "displaced");
    assert.equal(held.loss, "displaced");
    await assert.rejects(connect(6), refusedAs("epoch_too_low"));
    assert.equal((await later.list()).length, 1);
    const again = await connect(7);
    assert.equal(await later.closed, "displaced");
    assert.equal((await again.list()).length, 1);
    // Without a hello nothing is answered.
    const stranger = createConnection(socket);
    stranger.write(encodeToKeeper({ type: "forget", id: 1, run: "a" }));
    const [said] = await once(stranger, "data");
    assert.match(String(said), /hello_first/);
    stranger.write("this is no frame at all");
    await once(stranger, "close");
    assert.equal((await again.list()).length, 1);
    again.close();
  },
);

test("H-58 what a leader leaves in its group gets a hang-up when the leader exits", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const script = `sh -c 'trap "echo hung up; exit 0" HUP; echo ready >&2; while :; do sleep 0.05; done' &
    while ! grep -q S /proc/$!/stat; do :; done; read -r line < /dev/null; sleep 0.3; exit 5`;
  const child = await run(connection, "a", shell(script));
  await child.until(({ gone }) => gone);
  await child.whole();
  assert.equal(child.exited?.code, 5);
  assert.equal(child.text("stdout"), "hung up\n");
});

test("H-55 a signal reaches every process of the group, and only while there is one", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  const script = `trap 'echo leader; wait; exit 0' TERM
    sh -c 'trap "echo member; exit 0" TERM; echo up >&2; while :; do sleep 0.05; done' & 
    sh -c 'trap "echo member; exit 0" TERM; echo up >&2; while :; do sleep 0.05; done' &
    wait; wait`;
  const child = await run(connection, "a", shell(script));
  await child.until((listener) => listener.text("stderr") === "up\nup\n");
  assert.equal(await connection.signalGroup("a", "SIGTERM"), true);
  await child.until(({ gone }) => gone);
  await child.whole();
  assert.deepEqual(child.text("stdout").trim().split("\n").sort(), ["leader", "member", "member"]);
  assert.equal(await connection.signalGroup("a", "SIGKILL"), false);
  await assert.rejects(connection.signalGroup("b", "SIGKILL"), refusedAs("unknown_run"));
});

test("H-83 what a keeper holds does not grow with what its runs print", { timeout: 120_000 }, async (t) => {
  const { connection } = await keeperLab(t);
  const bytes = 220 * MEBIBYTE;
  const digest = createHash("sha256");
  let next = 0;
  let acked = 0;
  let mostHeld = 0;
  const done = Promise.withResolvers<void>();
  // A slow daemon: it acknowledges only once the keeper has filled the channel.
  connection.follow("a", {
    data: (_, from, chunk) => {
      assert.equal(from, next);
      digest.update(chunk);
      next += chunk.length;
      if (next - acked > CHANNEL_LIMIT - CHUNK_BYTES || next === bytes) {
        acked = next;
        connection.ack("a", "stdout", acked);
      }
      if (next === bytes) done.resolve();
    },
    eof: () => undefined,
    exit: () => undefined,
    groupGone: () => undefined,
    lost: () => done.reject(new Error("the keeper is gone")),
  });
  await connection.spawn("a", shell(`head -c ${bytes} /dev/zero`));
  await connection.read("a", "stdout", 0);
  const finished = new AbortController();
  const watch = async (): Promise<void> => {
    while (!finished.signal.aborted) {
      const [held] = await connection.list();
      if (held === undefined || !("child" in held)) continue;
      mostHeld = Math.max(mostHeld, (held.channels.stdout?.head ?? 0) - (held.channels.stdout?.acked ?? 0));
    }
  };
  const watching = watch();
  await done.promise;
  finished.abort();
  await watching;
  assert.ok(mostHeld > CHANNEL_LIMIT / 2, `the watch saw ${mostHeld} bytes held`);
  assert.ok(mostHeld <= CHANNEL_LIMIT, `${mostHeld} bytes were held`);
  assert.equal(next, bytes);
  assert.equal(digest.digest("hex"), createHash("sha256").update(Buffer.alloc(bytes)).digest("hex"));
});

test("slow runs never stop another, even when they hold all the memory that is shared", LIMITS, async (t) => {
  const { connection } = await keeperLab(t);
  // 40 that fill both channels would hold 80 MiB; the keeper has 64.
  const slow = Array.from({ length: 40 }, (_, index) => `slow-${index}`);
  const flood = "head -c 2000000 /dev/zero >&2 & head -c 2000000 /dev/zero; wait";
  await Promise.all(slow.map((name) => connection.spawn(name, shell(flood))));
  const other = await run(connection, "other", shell(numbers(100_000)));
  await other.whole();
  assert.equal(other.text("stdout"), numbersText(100_000));
  const held = (await connection.list()).flatMap((each) =>
    "child" in each ? Object.values(each.channels) : [],
  );
  const total = held.reduce((sum, { acked, head }) => sum + head - acked, 0);
  assert.ok(total > 32 * MEBIBYTE && total <= 64 * MEBIBYTE, `${total} bytes are held`);
  // Each is served in the end, when its daemon reads.
  await Promise.all(
    slow.map(async (name) => {
      const listener = new Listener(connection, name);
      await connection.read(name, "stdout", 0);
      await connection.read(name, "stderr", 0);
      await listener.until(
        (heard) => heard.next("stdout") === 2_000_000 && heard.next("stderr") === 2_000_000,
      );
    }),
  );
});

test("a keeper ends when it is told to and holds nothing, and not before", LIMITS, async (t) => {
  const { connection, socket } = await keeperLab(t);
  const child = await run(connection, "a", shell("exec sleep 60"));
  assert.equal(await connection.quit(), false);
  await connection.signalGroup("a", "SIGKILL");
  await child.until(({ gone }) => gone);
  await connection.forget("a");
  assert.equal(await connection.quit(), true);
  assert.equal(await connection.closed, "gone");
  await assert.rejects(KeeperConnection.open(socket, 9), { code: "ENOENT" });
});
