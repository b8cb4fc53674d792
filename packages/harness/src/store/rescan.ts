import type { Database } from "./database.ts";
import { outputSegment } from "./failures.ts";
import type { OutputSegment } from "./batch.ts";
import { integer, optionalText, text } from "./row.ts";
import type { RunRef } from "./run-record.ts";
import { maskRows, type RowMask } from "./rescan-rows.ts";

/** An ended run with the rules that its record was masked under, where they are known. */
export interface StaleRun extends RunRef {
  ruleSet?: string;
}

/** What the files of a run are after they were masked again. Absent: as they were. */
export interface RescannedFiles {
  stream?: { bytes: number; sha256: string };
  /** Where an offset in the run log has gone. */
  logOffset?: (before: number) => number;
}

/** The store's part of masking old records anew. A run is done in one transaction, so that a kill leaves it old or new. */
export interface Rescans {
  /** Ended runs that were masked under other rules than these, oldest first, and how many of them all there are. */
  look(ruleSet: string): { stale: StaleRun[]; current: number; open: number };
  segments(run: RunRef): OutputSegment[];
  /**
   * Masks the rows of an ended run and takes over what its files became; returns how many rows changed. The run is
   * {@link Rescans.pending} from then on, until its files are in place.
   */
  replace(run: RunRef, mask: RowMask, files: RescannedFiles, ruleSet: string): number;
  pending(): RunRef[];
  placed(run: RunRef): void;
  /** Old bytes may still be in free pages and in the write-ahead log. */
  readonly compactionDue: boolean;
  /** Writes the file anew and empties the write-ahead log. False when a reader kept the log from being emptied. */
  compact(): boolean;
}

/** Stands for the whole file in the table of what is not finished. */
const WHOLE = { harness: "", runId: 0 };

export const createRescans = (database: Database): Rescans => ({
  look: (ruleSet) => {
    const count = (where: string, ...values: string[]): number =>
      integer(database.get(`SELECT count(*) AS n FROM run WHERE ${where}`, ...values) ?? {}, "n");
    const stale = database.all(
      `SELECT harness, run_id, rule_set FROM run WHERE outcome <> 'running' AND rule_set IS NOT ?
       ORDER BY started_at, harness, run_id`,
      ruleSet,
    );
    return {
      stale: stale.map((row) => {
        const known = optionalText(row, "rule_set");
        return {
          harness: text(row, "harness"),
          runId: integer(row, "run_id"),
          ...(known === undefined ? {} : { ruleSet: known }),
        };
      }),
      current: count("outcome <> 'running' AND rule_set IS ?", ruleSet),
      open: count("outcome = 'running'"),
    };
  },
  segments: ({ harness, runId }) =>
    database
      .all("SELECT * FROM output WHERE harness = ? AND run_id = ? ORDER BY from_byte", harness, runId)
      .map(outputSegment),
  replace: (run, mask, files, ruleSet) =>
    database.transaction("power", () => {
      const changed = maskRows(database, run, mask);
      moveFiles(database, run, files);
      database.run(
        "UPDATE run SET rule_set = ? WHERE harness = ? AND run_id = ?",
        ruleSet,
        run.harness,
        run.runId,
      );
      const touched = files.stream !== undefined || files.logOffset !== undefined;
      if (touched) note(database, run);
      // A row that was replaced or removed before may still lie in a free page, under the rules of its time.
      note(database, WHOLE);
      return changed;
    }),
  pending: () =>
    database
      .all("SELECT harness, run_id FROM rescan WHERE run_id > 0")
      .map((row) => ({ harness: text(row, "harness"), runId: integer(row, "run_id") })),
  placed: (run) => forget(database, run),
  get compactionDue() {
    return database.get("SELECT 1 FROM rescan WHERE run_id = 0") !== undefined;
  },
  compact: () => {
    database.exec("VACUUM");
    const { busy } = database.get("PRAGMA wal_checkpoint(TRUNCATE)") ?? {};
    if (busy !== 0) return false;
    forget(database, WHOLE);
    // The row just taken out is in the log again, and nothing of old.
    return true;
  },
});

const note = (database: Database, { harness, runId }: RunRef): void => {
  database.run("INSERT OR IGNORE INTO rescan (harness, run_id) VALUES (?, ?)", harness, runId);
};

const forget = (database: Database, { harness, runId }: RunRef): void => {
  database.transaction("power", () => {
    database.run("DELETE FROM rescan WHERE harness = ? AND run_id = ?", harness, runId);
  });
};

const moveFiles = (database: Database, { harness, runId }: RunRef, files: RescannedFiles): void => {
  if (files.stream !== undefined) {
    database.run(
      `UPDATE session SET pointer_bytes = ?, pointer_sha256 = ?
       WHERE harness = ? AND run_id = ? AND pointer_path LIKE '%.stream.jsonl'`,
      files.stream.bytes,
      files.stream.sha256,
      harness,
      runId,
    );
  }
  if (files.logOffset === undefined) return;
  const rows = database.all(
    "SELECT change, from_byte, to_byte FROM output WHERE harness = ? AND run_id = ?",
    harness,
    runId,
  );
  for (const row of rows) {
    database.run(
      "UPDATE output SET from_byte = ?, to_byte = ? WHERE change = ?",
      files.logOffset(integer(row, "from_byte")),
      files.logOffset(integer(row, "to_byte")),
      integer(row, "change"),
    );
  }
};
