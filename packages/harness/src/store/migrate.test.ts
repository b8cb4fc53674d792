import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { HarnessError } from "../base/errors.ts";
import { SCHEMA_VERSION } from "./migrate.ts";
import { openStoreReader } from "./read.ts";
import { openStore } from "./store.ts";

test("a store of a newer program is refused, by writer and reader, and stays as it is", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "state", "harness.db");
  openStore(file).close();
  const raw = new DatabaseSync(file);
  raw.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  raw.close();
  const before = { bytes: readFileSync(file), mtimeMs: statSync(file).mtimeMs };
  for (const open of [openStore, openStoreReader]) {
    assert.throws(
      () => open(file),
      (error) =>
        error instanceof HarnessError &&
        error.code === "store_newer" &&
        error.message.includes(`schema ${SCHEMA_VERSION + 1}`) &&
        error.hint !== undefined,
    );
  }
  assert.deepEqual({ bytes: readFileSync(file), mtimeMs: statSync(file).mtimeMs }, before);
});

test("a migration that fails leaves the step before it", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "state", "harness.db");
  openStore(file).close();
  // A file with the tables of the first step, where something else has the name of a view of the second.
  const raw = new DatabaseSync(file);
  const views = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all();
  for (const { name } of views) raw.exec(`DROP VIEW ${String(name)}`);
  raw.exec("CREATE TABLE results (x); PRAGMA user_version = 1");
  raw.close();
  assert.throws(
    () => openStore(file),
    (error) => error instanceof HarnessError && error.code === "store_failed",
  );
  const look = new DatabaseSync(file, { readOnly: true });
  assert.equal(look.prepare("PRAGMA user_version").get()?.["user_version"], 1);
  assert.deepEqual(look.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all(), []);
  look.close();
});

test("a folder that other users may write to is refused", () => {
  assert.throws(
    () => openStore(join(tmpdir(), "harness.db")),
    (error) => error instanceof HarnessError && error.code === "store_failed" && error.hint !== undefined,
  );
});
