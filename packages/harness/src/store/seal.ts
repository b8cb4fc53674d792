import type { Database } from "./database.ts";
import { integer } from "./row.ts";
import type { RunRef } from "./run-record.ts";
import { sessionTotals } from "./session-totals.ts";

/** The file that a session's raw record is in, as it was when the session closed. It may be gone later. */
export interface RawRecord {
  path: string;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
}

/**
 * Part of closing a run: rows that were kept only to recognise a repeat go, and so do the cursors; each session gets its
 * totals and the pointer to its raw record; its claim keeps the agent's own total as the baseline of a later run.
 */
export const sealRun = (database: Database, run: RunRef, raw: RawRecord | undefined): void => {
  for (const each of sessionTotals(database, run)) {
    database.run(
      "UPDATE session SET totals = ?, pointer_path = ?, pointer_bytes = ?, pointer_sha256 = ? WHERE id = ?",
      JSON.stringify(each.totals),
      raw?.path ?? null,
      raw?.bytes ?? null,
      raw?.sha256 ?? null,
      each.session,
    );
    database.run(
      "UPDATE claim SET total = ? WHERE agent = ? AND session_id = ? AND harness = ? AND run_id = ?",
      each.claimed === undefined ? null : JSON.stringify(each.claimed),
      each.agent,
      each.sessionId,
      run.harness,
      run.runId,
    );
  }
  const sessions = database.all(
    "SELECT id FROM session WHERE harness = ? AND run_id = ?",
    run.harness,
    run.runId,
  );
  for (const row of sessions)
    database.run("DELETE FROM event WHERE session = ? AND kept = 0", integer(row, "id"));
  database.run("DELETE FROM cursor WHERE harness = ? AND run_id = ?", run.harness, run.runId);
};
