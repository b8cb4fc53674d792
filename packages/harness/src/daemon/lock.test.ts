import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import test, { type TestContext } from "node:test";
import { HarnessError } from "../base/errors.ts";
import { takeLock } from "./lock.ts";
import { shortFolder } from "./testing/served.ts";

/** A process that tries to take the lock, says how it went, and stays. */
const contender = (t: TestContext, path: string): ChildProcessByStdio<null, Readable, null> => {
  const script = `
    import { takeLock } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    try { takeLock(${JSON.stringify(path)}); console.log("won"); } catch (error) { console.log(error.code); }
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ["--conditions=orphus-source", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
};

const wordOf = async ({ stdout }: { stdout: Readable }): Promise<string> =>
  String((await once(stdout, "data"))[0]).trim();

test("of many that start at once, one has the folder", async (t) => {
  const path = join(shortFolder(t), "daemon.lock");
  const contenders = Array.from({ length: 5 }, () => contender(t, path));
  const words = await Promise.all(contenders.map(wordOf));
  assert.deepEqual(words.toSorted(), [...Array.from({ length: 4 }, () => "daemon_running"), "won"]);
});

test("a second daemon is refused with the pid of the first", async (t) => {
  const path = join(shortFolder(t), "daemon.lock");
  const first = contender(t, path);
  assert.equal(await wordOf(first), "won");
  assert.throws(
    () => takeLock(path),
    (error) => {
      assert.ok(error instanceof HarnessError);
      assert.equal(error.code, "daemon_running");
      assert.ok(error.message.endsWith(`with pid ${first.pid}.`), error.message);
      return true;
    },
  );
});

test("the lock of a killed daemon is free, and so is one with a pid that lives", async (t) => {
  const path = join(shortFolder(t), "daemon.lock");
  const first = contender(t, path);
  assert.equal(await wordOf(first), "won");
  first.kill("SIGKILL");
  await once(first, "exit");
  takeLock(path).release();
  writeFileSync(path, `${process.ppid}\n`);
  takeLock(path).release();
});
