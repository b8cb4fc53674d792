import { closeSync, fchmodSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { limits, type Output, type Run } from "../run/run.ts";
import { pendingMigrations, readMigrations } from "./migrations.ts";
import { outputRow, runFromRows, runRow, spanRow } from "./rows.ts";
import { StoreError, type TraceStore } from "./store.ts";

export interface SqliteOptions {
  /** The file; folders that are missing are made for the owner alone. */
  path: string;
  /** The file does not grow beyond this; a run that does not fit is refused. */
  maxBytes?: number;
}

const FULL = 13;

/** @throws {StoreError} when the file cannot be opened or is not a store of this program. */
export const openSqliteStore = ({ path, maxBytes }: SqliteOptions): TraceStore => {
  const file = resolve(path);
  const db = guarded(`cannot open ${file}`, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Made before SQLite does, which would give it the mode of the umask; its side files take the mode of this one.
    const descriptor = openSync(file, "a", 0o600);
    fchmodSync(descriptor, 0o600);
    closeSync(descriptor);
    const opened = new DatabaseSync(file, { enableForeignKeyConstraints: true });
    try {
      prepare(opened, maxBytes);
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  });
  return new SqliteStore(db, file);
};

const prepare = (db: DatabaseSync, maxBytes: number | undefined): void => {
  // FULL: a run that was answered with 201 is there after a power failure. secure_delete: what expired is gone.
  db.exec(
    "pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on; pragma busy_timeout = 2000",
  );
  if (maxBytes !== undefined) {
    const pageSize = Number(db.prepare("pragma page_size").get()?.["page_size"]);
    db.exec(`pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
  }
  transaction(db, () => {
    db.exec(
      "create table if not exists migration (number integer primary key, name text not null, sha256 text not null, applied_at text not null) strict",
    );
    const applied = db
      .prepare("select number, sha256 from migration order by number")
      .all()
      .map((row) => ({ number: Number(row["number"]), sha256: String(row["sha256"]) }));
    const record = db.prepare("insert into migration values (?, ?, ?, ?)");
    for (const step of pendingMigrations(readMigrations("sqlite"), applied)) {
      db.exec(step.sql);
      record.run(step.number, step.name, step.sha256, new Date().toISOString());
    }
  });
};

const transaction = (db: DatabaseSync, task: () => void): void => {
  db.exec("begin immediate");
  try {
    task();
    db.exec("commit");
  } catch (error) {
    // Some failures, a full disk among them, have ended the transaction already.
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
};

/** Turns whatever SQLite throws into the store's own error. */
const guarded = <T>(what: string, task: () => T): T => {
  try {
    return task();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const full = error instanceof Error && "errcode" in error && error.errcode === FULL;
    throw new StoreError(full ? "full" : "unavailable", `${what}: ${message}`, error);
  }
};

type Row = Record<string, SQLOutputValue>;

class SqliteStore implements TraceStore {
  readonly #db: DatabaseSync;
  readonly #file: string;

  constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#file = file;
  }

  async createRun(run: Run): Promise<void> {
    this.#guarded((db) =>
      transaction(db, () => {
        insert(db, "run", runRow(run));
        for (const span of run.spans) insert(db, "span", spanRow(run.id, span));
        for (const { output } of run.spans) {
          if (output !== undefined) insert(db, "output", outputRow(run.id, output), "on conflict do nothing");
        }
      }),
    );
  }

  async run(id: string, now: Date): Promise<Run | undefined> {
    return this.#guarded((db) => {
      const row = db.prepare("select * from run where id = ? and expires_at > ?").get(id, now.toISOString());
      if (row === undefined) return undefined;
      const spans: Row[] = db
        .prepare(
          `select span.*, output.bytes as output_bytes from span
             left join output on output.run_id = span.run_id and output.sha256 = span.output_sha256
              and span.output_size <= ?
            where span.run_id = ? order by span.seq`,
        )
        .all(limits.inlineOutputBytes, id);
      return runFromRows(row, spans);
    });
  }

  async output(runId: string, spanId: string, now: Date): Promise<Required<Output> | undefined> {
    return this.#guarded((db) => {
      const row = db
        .prepare(
          `select output.sha256, output.bytes, span.output_truncated from run
             join span on span.run_id = run.id
             join output on output.run_id = run.id and output.sha256 = span.output_sha256
            where run.id = ? and run.expires_at > ? and span.span_id = ?`,
        )
        .get(runId, now.toISOString(), spanId);
      const bytes = row?.["bytes"];
      if (row === undefined || !(bytes instanceof Uint8Array)) return undefined;
      return {
        sha256: String(row["sha256"]),
        size: bytes.length,
        truncated: row["output_truncated"] === 1,
        bytes,
      };
    });
  }

  async deleteExpired(now: Date): Promise<number> {
    return this.#guarded((db) =>
      Number(db.prepare("delete from run where expires_at <= ?").run(now.toISOString()).changes),
    );
  }

  async close(): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }

  #guarded<T>(task: (db: DatabaseSync) => T): T {
    return guarded(`cannot use ${this.#file}`, () => task(this.#db));
  }
}

const insert = (
  db: DatabaseSync,
  table: string,
  row: Record<string, string | number | Uint8Array | null>,
  suffix = "",
): void => {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  db.prepare(`insert into ${table} (${columns.join(", ")}) values (${places}) ${suffix}`).run(
    ...Object.values(row),
  );
};
