import type { Cursor } from "./batch.ts";
import type { Database } from "./database.ts";
import { integer, json } from "./row.ts";
import type { RunRef } from "./run-record.ts";

export const putCursor = (database: Database, run: RunRef, cursor: Cursor): void => {
  database.run(
    `INSERT INTO cursor (source, harness, run_id, position, state, raw_in, file_out) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (source) DO UPDATE SET position = excluded.position, state = excluded.state,
       raw_in = excluded.raw_in, file_out = excluded.file_out`,
    cursor.source,
    run.harness,
    run.runId,
    cursor.position,
    JSON.stringify(cursor.state),
    cursor.rawIn,
    cursor.fileOut,
  );
};

export const getCursor = (database: Database, source: string): Cursor | undefined => {
  const row = database.get("SELECT * FROM cursor WHERE source = ?", source);
  if (row === undefined) return undefined;
  return {
    source,
    position: integer(row, "position"),
    state: json<unknown>(row, "state"),
    rawIn: integer(row, "raw_in"),
    fileOut: integer(row, "file_out"),
  };
};
