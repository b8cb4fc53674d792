import assert from "node:assert/strict";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Run } from "../run/run.ts";
import { testFolder } from "../testing/server.ts";
import { openSqliteStore } from "./sqlite.ts";
import { StoreError } from "./store.ts";
import { traceStoreContract } from "./testing/contract.ts";

traceStoreContract("sqlite", async (t) => openSqliteStore({ path: join(testFolder(t), "cairn.db") }));

const run = (id: string, title = "t"): Run => ({
  id,
  status: "closed",
  title,
  provenance: { actor: "loopback", channel: "api", capturedAt: "2026-11-30T12:00:00.000Z" },
  startedAt: "2026-11-30T12:00:00.000Z",
  expiresAt: "2999-01-01T00:00:00.000Z",
  spans: [],
});
const now = new Date("2026-11-30T12:00:00.000Z");

const refused = (reason: "full" | "unavailable", message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreError);
  assert.equal(error.reason, reason);
  assert.match(error.message, message);
  return true;
};

test("files are the owner's alone, in a folder that is too", async (t) => {
  const dir = join(testFolder(t), "new", "deeper");
  const before = process.umask(0);
  t.after(() => process.umask(before));
  const store = openSqliteStore({ path: join(dir, "cairn.db") });
  t.after(() => store.close());
  await store.createRun(run("one"));
  const modes = readdirSync(dir).map((file) => [file, (statSync(join(dir, file)).mode & 0o777).toString(8)]);
  assert.ok(modes.length >= 2, "the log is there besides the database");
  for (const [file, mode] of modes) assert.equal(mode, "600", file);
  assert.equal((statSync(dir).mode & 0o777).toString(8), "700");
});

test("what was stored is there when the file is opened again", async (t) => {
  const path = join(testFolder(t), "cairn.db");
  const first = openSqliteStore({ path });
  await first.createRun(run("one"));
  await first.close();
  const second = openSqliteStore({ path });
  t.after(() => second.close());
  assert.deepEqual(await second.run("one", now), run("one"));
});

test("a full store refuses a run, keeps nothing of it, and goes on", async (t) => {
  const store = openSqliteStore({ path: join(testFolder(t), "cairn.db"), maxBytes: 256 * 1024 });
  t.after(() => store.close());
  await store.createRun(run("one"));
  const big: Run = {
    ...run("big"),
    spans: Array.from({ length: 400 }, (_, seq) => ({
      spanId: `s${seq}`,
      seq,
      category: "exec",
      args: "x".repeat(2000),
    })),
  };
  await assert.rejects(store.createRun(big), refused("full", /full/));
  assert.equal(await store.run("big", now), undefined);
  await store.createRun(run("two"));
  assert.deepEqual(await store.run("one", now), run("one"));
});

test("refuses a file that is no store, one of a newer program, and one that was made otherwise", async (t) => {
  const dir = testFolder(t);
  const text = join(dir, "text.db");
  writeFileSync(text, "this is no database, but long enough to be taken for one".repeat(20));
  assert.throws(() => openSqliteStore({ path: text }), refused("unavailable", /cannot open .*text\.db/));

  mkdirSync(join(dir, "folder.db"));
  assert.throws(() => openSqliteStore({ path: join(dir, "folder.db") }), refused("unavailable", /EISDIR/));

  const altered = async (name: string, sql: string): Promise<string> => {
    const path = join(dir, name);
    await openSqliteStore({ path }).close();
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
    return path;
  };
  const newer = await altered("newer.db", "insert into migration values (99, 'x', 'y', 'z')");
  assert.throws(() => openSqliteStore({ path: newer }), refused("unavailable", /newer than this program/));
  const other = await altered("other.db", "update migration set sha256 = 'other'");
  assert.throws(
    () => openSqliteStore({ path: other }),
    refused("unavailable", /not the one this program has/),
  );
});
