import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { TestContext } from "node:test";
import { objects, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";

/** A folder of the test's own, gone when it ends. */
export const testFolder = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), "agent-trace-"));
  context.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

/** Makes a real database as the agent does: in WAL mode, and written by a connection that stays open. */
export const writtenDatabase = (context: TestContext, path: string, schema: string): DatabaseSync => {
  const database = new DatabaseSync(path);
  context.after(() => {
    database.close();
  });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = OFF");
  database.exec(schema);
  return database;
};

/** Opens a database as a reader does, while its writer has it open. */
export const readDatabase = (context: TestContext, path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { readOnly: true });
  context.after(() => {
    database.close();
  });
  return database;
};

/** Inserts or replaces a row; values that are no scalars are stored as JSON. */
export const putRow = (database: DatabaseSync, table: string, row: JsonObject): void => {
  const columns = Object.keys(row);
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
    ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`;
  database.prepare(sql).run(...Object.values(row).map(scalar));
};

export const putRows = (database: DatabaseSync, table: string, rows: JsonValue | undefined): void => {
  for (const row of objects(rows)) putRow(database, table, row);
};

const scalar = (value: JsonValue): SQLInputValue =>
  typeof value === "object" && value !== null
    ? JSON.stringify(value)
    : typeof value === "boolean"
      ? Number(value)
      : value;
