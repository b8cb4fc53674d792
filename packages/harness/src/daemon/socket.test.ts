import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { HarnessError } from "../base/errors.ts";
import { bindSocket } from "./socket.ts";
import { served, shortFolder } from "./testing/served.ts";

const refused = async (path: string): Promise<HarnessError> => {
  const outcome = await bindSocket(path, () => undefined).catch((error: unknown) => error);
  assert.ok(outcome instanceof HarnessError, String(outcome));
  return outcome;
};

test("the socket is its owner's alone, and goes with the daemon", async (t) => {
  const { path, bound } = await served(t, {});
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(path, "..")), ["harness.sock"]);
  bound.release();
  assert.equal(existsSync(path), false);
});

test("a socket that a killed daemon left is replaced, and so is a file in its place", async (t) => {
  const path = join(shortFolder(t), "harness.sock");
  const script = `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`;
  await once(spawn(process.execPath, ["-e", script]), "exit");
  assert.equal(existsSync(path), true);
  (await bindSocket(path, () => undefined)).release();
  writeFileSync(path, "");
  const bound = await bindSocket(path, (socket) => socket.destroy());
  assert.equal(statSync(path).isSocket(), true);
  bound.release();
});

test("a displaced daemon leaves its successor's socket alone", async (t) => {
  const { path, bound } = await served(t, {});
  renameSync(path, `${path}.old`);
  const successor = await bindSocket(path, (socket) => socket.destroy());
  bound.release();
  assert.equal(existsSync(path), true);
  successor.release();
  assert.equal(existsSync(path), false);
});

test("a path too long for a socket is refused before anything is made", async (t) => {
  const folder = shortFolder(t);
  const error = await refused(join(folder, "x".repeat(100), "harness.sock"));
  assert.equal(error.code, "socket_denied");
  assert.match(error.hint ?? "", /HARNESS_STATE_DIR/);
});
