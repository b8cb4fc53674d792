import type { Database } from "./database.ts";
import type { RunRef } from "./run-record.ts";
import { integer } from "./row.ts";
import { sessionTotals } from "./session-totals.ts";

/** What is known of a run's raw record when it ends. */
export interface SessionSeal {
  /** The file a session's raw record is in: the agent's own transcript, else the run's stream file. */
  pointer?: { path: string; bytes: number; sha256: string };
}

/**
 * The run's record is whole: rows that were kept only to recognise a repeat go, each session gets its totals and the
 * pointer to its raw record, and its claim keeps the agent's own total as the baseline of a later run.
 */
export const sealRun = (database: Database, run: RunRef, seal: SessionSeal): void => {
  const sessions = database.all(
    "SELECT id FROM session WHERE harness = ? AND run_id = ?",
    run.harness,
    run.runId,
  );
  for (const each of sessionTotals(database, run)) {
    database.run(
      `UPDATE session SET totals = ?, pointer_path = ?, pointer_bytes = ?, pointer_sha256 = ?
       WHERE id = ?`,
      JSON.stringify(each.totals),
      seal.pointer?.path ?? null,
      seal.pointer?.bytes ?? null,
      seal.pointer?.sha256 ?? null,
      each.session,
    );
    database.run(
      "UPDATE claim SET total_nano_usd = ? WHERE agent = ? AND session_id = ? AND harness = ? AND run_id = ?",
      each.claimedNanoUsd ?? null,
      each.agent,
      each.sessionId,
      run.harness,
      run.runId,
    );
  }
  for (const row of sessions)
    database.run("DELETE FROM event WHERE session = ? AND kept = 0", integer(row, "id"));
};
