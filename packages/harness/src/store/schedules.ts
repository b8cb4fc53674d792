import type { Database } from "./database.ts";
import { flag, integer, text } from "./row.ts";

/** How far a harness's schedule is decided. Times are wall time in ms. */
export interface ScheduleMark {
  /** The schedule as written; another text begins anew. */
  expression: string;
  /** What an `@every` counts from. */
  anchor: number;
  /** Every due time up to here is on record. */
  decided: number;
  /** The operator stopped it. */
  paused: boolean;
}

/** Marks of schedules. A ledger row with a due time moves the mark of its harness in the same transaction. */
export interface Schedules {
  get(harness: string): ScheduleMark | undefined;
  put(harness: string, mark: ScheduleMark): void;
  /** Forgets a schedule that is no longer configured. */
  remove(harness: string): void;
  names(): string[];
}

export const createSchedules = (database: Database): Schedules => ({
  get: (harness) => {
    const row = database.get("SELECT * FROM schedule WHERE harness = ?", harness);
    if (row === undefined) return undefined;
    return {
      expression: text(row, "expression"),
      anchor: integer(row, "anchor"),
      decided: integer(row, "decided"),
      paused: flag(row, "paused"),
    };
  },
  put: (harness, { expression, anchor, decided, paused }) =>
    database.transaction("power", () => {
      database.run(
        `INSERT INTO schedule (harness, expression, anchor, decided, paused) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (harness) DO UPDATE SET expression = excluded.expression, anchor = excluded.anchor,
           decided = excluded.decided, paused = excluded.paused`,
        harness,
        expression,
        anchor,
        decided,
        paused ? 1 : 0,
      );
    }),
  remove: (harness) =>
    database.transaction("power", () => {
      database.run("DELETE FROM schedule WHERE harness = ?", harness);
    }),
  names: () => database.all("SELECT harness FROM schedule").map((row) => text(row, "harness")),
});

/** Within the transaction that writes the row of a due time: it is decided. */
export const advanceSchedule = (database: Database, harness: string, dueAt: number): void => {
  database.run("UPDATE schedule SET decided = max(decided, ?) WHERE harness = ?", dueAt, harness);
};
