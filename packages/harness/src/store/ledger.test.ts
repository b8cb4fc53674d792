import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, statSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { openStore } from "./store.ts";
import type { NewRun } from "./ledger.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "store-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run: NewRun = {
  harness: "nightly",
  kind: "oneshot",
  agent: "claude-code",
  trigger: "manual",
  workdir: "/srv/project",
  recordTrace: true,
  startedAt: 1_000,
};

test("runs count up per harness, and survive a new opening", () => {
  const file = join(folder, "state", "harness.db");
  let store = openStore(file);
  assert.equal(store.ledger.open(run), 1);
  assert.equal(store.ledger.open(run), 2);
  assert.equal(store.ledger.open({ ...run, harness: "other" }), 1);
  store.close();
  store = openStore(file);
  assert.equal(store.ledger.open(run), 3);
  assert.equal(store.ledger.openRuns().length, 4);
  store.close();
});

test("H-137 store files are 0600 in a 0700 folder", () => {
  const state = join(folder, "state");
  const store = openStore(join(state, "harness.db"));
  store.ledger.open(run);
  assert.equal(statSync(state).mode & 0o777, 0o700);
  const files = readdirSync(state);
  assert.deepEqual(files.sort(), ["harness.db", "harness.db-shm", "harness.db-wal"]);
  for (const name of files) assert.equal(statSync(join(state, name)).mode & 0o777, 0o600, name);
  store.close();
});

test("H-137 a folder that was open to others is closed to them", () => {
  const state = join(folder, "state");
  mkdirSync(state, { mode: 0o755 });
  openStore(join(state, "harness.db")).close();
  assert.equal(statSync(state).mode & 0o777, 0o700);
});

test("a closed run stays as it was closed", () => {
  const store = openStore(join(folder, "state", "harness.db"));
  const ref = { harness: "nightly", runId: store.ledger.open(run) };
  store.ledger.spawned(ref, { pid: 7, startTime: 12, keeper: "k1" });
  store.ledger.close(ref, { outcome: "success", endedAt: 3_000, exitCode: 0 });
  const again = store.ledger.close(ref, { outcome: "interrupted", endedAt: 9_000 });
  assert.equal(again.outcome, "success");
  assert.equal(again.durationMs, 2_000);
  assert.equal(again.pid, 7);
  assert.deepEqual(store.ledger.openRuns(), []);
  store.close();
});

test("the epoch counts up, over openings too", () => {
  const file = join(folder, "state", "harness.db");
  const first = openStore(file);
  assert.equal(first.epoch.next(), 1);
  assert.equal(first.epoch.next(), 2);
  first.close();
  const second = openStore(file);
  assert.equal(second.epoch.next(), 3);
  second.close();
});
