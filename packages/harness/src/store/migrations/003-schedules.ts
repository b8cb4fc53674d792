/**
 * Why a run was started: what fired, and for which due time. A row can stand for several due times in a row of which the same
 * is to be said (`due_first` to `due_at`, `due_count`). `schedule` has how far each harness's schedule is decided.
 */
export const schedules = `
ALTER TABLE run ADD COLUMN source TEXT;
ALTER TABLE run ADD COLUMN event_id TEXT;
ALTER TABLE run ADD COLUMN due_at INTEGER;
ALTER TABLE run ADD COLUMN due_first INTEGER;
ALTER TABLE run ADD COLUMN due_count INTEGER;

CREATE TABLE schedule (
  harness TEXT PRIMARY KEY,
  expression TEXT NOT NULL,
  anchor INTEGER NOT NULL,
  decided INTEGER NOT NULL,
  paused INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW dues AS
SELECT harness, run_id, trigger, outcome, reason,
  strftime('%Y-%m-%dT%H:%M:%fZ', due_at / 1000.0, 'unixepoch') AS due_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(due_first, due_at) / 1000.0, 'unixepoch') AS due_first,
  coalesce(due_count, 1) AS due_count,
  CASE WHEN outcome NOT IN ('missed', 'skipped') THEN started_at - due_at END AS late_ms
FROM run WHERE due_at IS NOT NULL;
`;
