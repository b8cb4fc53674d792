import type { Mask } from "../base/mask.ts";
import type { Database, Value } from "./database.ts";
import { integer, optionalText, text } from "./row.ts";
import type { RunRef } from "./run-record.ts";

/** How rows are masked. Each gives back an equal text when there is nothing to mask. */
export interface RowMask {
  text: Mask;
  /** An item as JSON; its ids only by what proves itself. */
  item: Mask;
  /** An id by what proves itself. */
  id: Mask;
}

/** Masks everything of a run that is text; returns how many rows changed. Runs inside a transaction. */
export const maskRows = (database: Database, run: RunRef, mask: RowMask): number =>
  maskRun(database, run, mask) + maskSessions(database, run, mask) + maskEvents(database, run, mask);

const ofRun = ({ harness, runId }: RunRef): Value[] => [harness, runId];

const maskRun = (database: Database, run: RunRef, mask: RowMask): number => {
  const row = database.get(
    "SELECT workdir, reason, notes, totals FROM run WHERE harness = ? AND run_id = ?",
    ...ofRun(run),
  );
  if (row === undefined) return 0;
  const columns = (["workdir", "reason", "notes", "totals"] as const).map((column) => {
    const before = optionalText(row, column);
    const how = column === "notes" || column === "totals" ? mask.item : mask.text;
    return { before, after: before === undefined ? undefined : how(before) };
  });
  if (columns.every(({ before, after }) => before === after)) return 0;
  return database.run(
    "UPDATE run SET workdir = ?, reason = ?, notes = ?, totals = ? WHERE harness = ? AND run_id = ?",
    ...columns.map(({ after }) => after ?? null),
    ...ofRun(run),
  );
};

const maskSessions = (database: Database, run: RunRef, mask: RowMask): number => {
  let changed = 0;
  const rows = database.all(
    "SELECT id, session_id, body FROM session WHERE harness = ? AND run_id = ?",
    ...ofRun(run),
  );
  for (const row of rows) {
    const [id, body] = [text(row, "session_id"), text(row, "body")];
    const maskedId = numbered(id, mask, integer(row, "id"));
    const maskedBody = mask.item(body.replaceAll(JSON.stringify(id), JSON.stringify(maskedId)));
    if (maskedId === id && maskedBody === body) continue;
    changed += database.run(
      "UPDATE session SET session_id = ?, body = ? WHERE id = ?",
      maskedId,
      maskedBody,
      integer(row, "id"),
    );
    database.run(
      "UPDATE claim SET session_id = ? WHERE session_id = ? AND harness = ? AND run_id = ?",
      maskedId,
      id,
      ...ofRun(run),
    );
  }
  return changed;
};

const maskEvents = (database: Database, run: RunRef, mask: RowMask): number => {
  let changed = 0;
  const rows = database.all(
    `SELECT e.id, e.key, e.body, s.id AS session FROM event e JOIN session s ON s.id = e.session
     WHERE s.harness = ? AND s.run_id = ?`,
    ...ofRun(run),
  );
  for (const row of rows) {
    const [key, body] = [text(row, "key"), text(row, "body")];
    const maskedKey = numbered(key, mask, integer(row, "id"));
    const maskedBody = mask.item(body.replaceAll(JSON.stringify(key), JSON.stringify(maskedKey)));
    if (maskedKey === key && maskedBody === body) continue;
    changed += database.run(
      "UPDATE event SET key = ?, body = ? WHERE id = ?",
      maskedKey,
      maskedBody,
      integer(row, "id"),
    );
    database.run(
      "UPDATE counted SET key = ? WHERE key = ? AND session = ?",
      maskedKey,
      key,
      integer(row, "session"),
    );
  }
  return changed;
};

/** Two masked ids must not be one: a masked one gets the number of its row. */
const numbered = (id: string, mask: RowMask, row: number): string => {
  const masked = mask.id(id);
  return masked === id ? id : `${masked}#${row}`;
};
