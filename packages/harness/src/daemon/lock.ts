import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import koffi from "koffi";
import { HarnessError } from "../base/errors.ts";

/** The state folder is ours until this is released, or the process ends however it ends. */
export interface Lock {
  release(): void;
}

const LOCK_EX = 2;
const LOCK_NB = 4;
const flock = koffi.load(null).func("int flock(int fd, int operation)");

/**
 * Takes the lock of a state folder, or fails with `daemon_running` and the pid of who has it. The kernel holds it and
 * drops it with the process, so there is no stale lock, and a pid that was used again confuses nobody.
 */
export const takeLock = (path: string): Lock => {
  const fd = openSync(path, "a+", 0o600);
  if (flock(fd, LOCK_EX | LOCK_NB) !== 0) {
    const errno = koffi.errno();
    const pid = readFileSync(path, "utf8").trim();
    closeSync(fd);
    throw errno === koffi.os.errno["EWOULDBLOCK"] ? running(pid) : unlockable(path, errno);
  }
  ftruncateSync(fd);
  writeSync(fd, `${process.pid}\n`);
  return { release: () => closeSync(fd) };
};

const running = (pid: string): HarnessError =>
  new HarnessError(
    "daemon_running",
    `A daemon is already running in this state folder${pid === "" ? "" : `, with pid ${pid}`}.`,
    { hint: "use it, or stop it with: harness daemon stop" },
  );

const unlockable = (path: string, errno: number): HarnessError =>
  new HarnessError("internal", `${path} cannot be locked (error ${errno}).`, {
    hint: "keep the state folder on a local file system",
  });
