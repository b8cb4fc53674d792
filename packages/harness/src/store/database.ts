import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { storeError } from "./failure.ts";
import type { Row } from "./row.ts";

/**
 * What a commit must survive. `kill`: the end of this process at any instant (`synchronous=NORMAL`). `power`: the end of
 * the machine as well (`synchronous=FULL`, the write-ahead log is synced before the commit returns).
 */
type Durability = "kill" | "power";

export type Value = SQLInputValue;

/** A connection to the store. Statements are prepared once and kept. */
export interface Database {
  all(sql: string, ...values: Value[]): Row[];
  get(sql: string, ...values: Value[]): Row | undefined;
  /** Returns the number of rows changed. */
  run(sql: string, ...values: Value[]): number;
  /** Several statements without parameters. */
  exec(sql: string): void;
  /**
   * Commits what `work` did, or nothing of it. Not nested. Failures of SQLite come as `store_failed`.
   */
  transaction<T>(durability: Durability, work: () => T): T;
  close(): void;
}

/** How long a statement waits for another process that holds the file. */
const BUSY_TIMEOUT_MS = 5000;

export const openDatabase = (file: string, options: { readOnly: boolean }): Database => {
  const connection = guarded(
    () => new DatabaseSync(file, { readOnly: options.readOnly, timeout: BUSY_TIMEOUT_MS }),
  );
  const statements = new Map<string, StatementSync>();
  let durability: Durability | undefined;

  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };

  const setDurability = (wanted: Durability): void => {
    if (durability === wanted) return;
    // SQLite ignores a change inside a transaction; this runs before one begins.
    connection.exec(`PRAGMA synchronous = ${wanted === "power" ? "FULL" : "NORMAL"}`);
    durability = wanted;
  };

  return {
    all: (sql, ...values) => guarded(() => prepared(sql).all(...values)),
    get: (sql, ...values) => guarded(() => prepared(sql).get(...values)),
    run: (sql, ...values) => guarded(() => Number(prepared(sql).run(...values).changes)),
    exec: (sql) => guarded(() => connection.exec(sql)),
    transaction: (wanted, work) =>
      guarded(() => {
        setDurability(wanted);
        connection.exec("BEGIN IMMEDIATE");
        try {
          const result = work();
          connection.exec("COMMIT");
          return result;
        } catch (error) {
          // A full disk makes SQLite roll back by itself.
          if (connection.isTransaction) connection.exec("ROLLBACK");
          throw error;
        }
      }),
    close: () => connection.close(),
  };
};

const guarded = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw storeError(error);
  }
};
