import type { MarkItem, ToolCallItem } from "@orphus/agent-trace/item";
import type { OutputSegment } from "./batch.ts";
import type { Database } from "./database.ts";
import { integer, json, type Row } from "./row.ts";
import type { RunRef } from "./run-record.ts";

/** What went wrong in a run, oldest first. */
export interface Failures {
  failures: (MarkItem | ToolCallItem)[];
  /** The last stretches of stderr in the run log. */
  stderr: OutputSegment[];
}

/** The last `limit` failed calls, failed model requests and stretches of stderr, each. */
export const runFailures = (database: Database, { harness, runId }: RunRef, limit: number): Failures => {
  const latest = (condition: string): (MarkItem | ToolCallItem)[] =>
    database
      .all(
        `SELECT e.body FROM event e JOIN session s ON s.id = e.session
         WHERE s.harness = ? AND s.run_id = ? AND e.kept = 1 AND ${condition} ORDER BY e.change DESC LIMIT ?`,
        harness,
        runId,
        limit,
      )
      .map((row) => json<MarkItem | ToolCallItem>(row, "body"))
      .toReversed();
  const calls = latest("e.type = 'tool_call' AND e.body ->> '$.outcome' <> 'ok'");
  const marks = latest("e.type = 'mark' AND e.body ->> '$.errorClass' IS NOT NULL");
  const stderr = database
    .all(
      `SELECT * FROM output WHERE harness = ? AND run_id = ? AND channel = 'stderr' ORDER BY change DESC LIMIT ?`,
      harness,
      runId,
      limit,
    )
    .map(outputSegment)
    .toReversed();
  return { failures: [...calls, ...marks], stderr };
};

/** A row of the table `output`. */
export const outputSegment = (row: Row): OutputSegment => ({
  channel: row["channel"] === "stdout" ? "stdout" : "stderr",
  at: integer(row, "at"),
  from: integer(row, "from_byte"),
  to: integer(row, "to_byte"),
});
