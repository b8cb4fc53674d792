import type { Database } from "./database.ts";
import { flag, integer, text } from "./row.ts";

/** A harness whose agent's usage limit is used up. Times are wall time in ms. */
export interface Park {
  harness: string;
  /** When the limit ends. */
  until: number;
  /** How many windows in a row ended in the limit. */
  windows: number;
  /** Whether it is to be resumed when the limit has ended. */
  resumes: boolean;
}

/** Parks outlive the daemon. A ledger row with the trigger `resume` ends `resumes` in the same transaction. */
export interface Parks {
  get(harness: string): Park | undefined;
  put(park: Park): void;
  remove(harness: string): void;
  all(): Park[];
}

export const createParks = (database: Database): Parks => {
  const select = (where: string, ...values: string[]): Park[] =>
    database.all(`SELECT * FROM park ${where}`, ...values).map((row) => ({
      harness: text(row, "harness"),
      until: integer(row, "until"),
      windows: integer(row, "windows"),
      resumes: flag(row, "resumes"),
    }));
  return {
    get: (harness) => select("WHERE harness = ?", harness)[0],
    all: () => select(""),
    put: ({ harness, until, windows, resumes }) =>
      database.transaction("power", () => {
        database.run(
          `INSERT INTO park (harness, until, windows, resumes) VALUES (?, ?, ?, ?)
           ON CONFLICT (harness) DO UPDATE SET until = excluded.until, windows = excluded.windows,
             resumes = excluded.resumes`,
          harness,
          until,
          windows,
          resumes ? 1 : 0,
        );
      }),
    remove: (harness) =>
      database.transaction("power", () => {
        database.run("DELETE FROM park WHERE harness = ?", harness);
      }),
  };
};

/** Within the transaction that opens a run: it is resumed once. */
export const resumed = (database: Database, harness: string): void => {
  database.run("UPDATE park SET resumes = 0 WHERE harness = ?", harness);
};
