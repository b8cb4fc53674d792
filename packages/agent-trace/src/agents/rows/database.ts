import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { DatabaseReader } from "../../agent.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";

/** One row, by column names. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

export const textColumn = (row: Row | undefined, name: string): string | undefined => {
  const value = row?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

export const numberColumn = (row: Row | undefined, name: string): number | undefined => {
  const value = row?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** The names of a table's columns; empty when there is no such table. */
export const columnsOf = (database: DatabaseSync, table: string): Set<string> => {
  const names = database.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  return new Set(names.flatMap((row) => textColumn(row, "name") ?? []));
};

export const hasColumns = (database: DatabaseSync, table: string, columns: readonly string[]): boolean => {
  const present = columnsOf(database, table);
  return columns.every((column) => present.has(column));
};

/** All rows of a query, one at a time. */
export const rows = (database: DatabaseSync, sql: string, ...values: SQLInputValue[]): Iterable<Row> =>
  database.prepare(sql).iterate(...values);

export const firstRow = (database: DatabaseSync, sql: string, ...values: SQLInputValue[]): Row | undefined =>
  database.prepare(sql).get(...values);

/** What an agent's folder writes for its database. */
export interface RowHandler {
  /** Gives out what is new or changed; runs inside one read transaction. */
  poll(sink: ReadSink): void;
  finish(sink: ReadSink): void;
  state(): JsonValue;
}

/**
 * Makes a database reader: every poll sees one state of the database, a database that nobody changed is not read again,
 * and one that is locked or broken is reported and read at the next poll.
 */
export const databaseReader = (database: DatabaseSync, handler: RowHandler): DatabaseReader => {
  let version: unknown;

  const inOneState = (read: () => void, sink: ReadSink): boolean => {
    try {
      database.exec("BEGIN");
      try {
        read();
        return true;
      } finally {
        database.exec("ROLLBACK");
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      sink.unread?.({ reason: "torn", text, bytes: 0 });
      return false;
    }
  };

  return {
    poll(sink) {
      let now: unknown;
      const read = inOneState(() => {
        now = database.prepare("PRAGMA data_version").get()?.["data_version"];
        if (now === undefined || now !== version) handler.poll(sink);
      }, sink);
      if (read) version = now;
    },
    finish(sink) {
      inOneState(() => handler.finish(sink), sink);
    },
    state: () => handler.state(),
  };
};
