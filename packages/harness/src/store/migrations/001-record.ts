/**
 * The first schema: ledger, sessions, events, and what makes a replay harmless (item keys, the cursor that commits with
 * its items, amounts counted once). The tables are not a contract; the views of `002` are.
 *
 * `change` is one counter over the whole store: every insert and every revision takes the next. Times are milliseconds
 * since the epoch; `at` is the agent's own time, or, where it tells none, when the item was read. `body` is the item as
 * JSON, masked and capped.
 */
export const record = `
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,
  change INTEGER NOT NULL
) STRICT;
INSERT INTO meta (id, epoch, change) VALUES (1, 0, 0);

CREATE TABLE run (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  agent TEXT NOT NULL,
  trigger TEXT NOT NULL,
  workdir TEXT,
  record_trace INTEGER NOT NULL,
  boot_id TEXT,
  epoch INTEGER,
  pid INTEGER,
  pid_start INTEGER,
  keeper TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  duration_ms INTEGER,
  outcome TEXT NOT NULL,
  reason TEXT,
  exit_code INTEGER,
  signal TEXT,
  totals TEXT,
  notes TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (harness, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_started ON run (started_at);
CREATE INDEX run_open ON run (outcome) WHERE outcome = 'running';

CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  change INTEGER NOT NULL UNIQUE,
  body TEXT NOT NULL,
  stored INTEGER NOT NULL DEFAULT 0,
  dropped INTEGER NOT NULL DEFAULT 0,
  trace_id TEXT,
  pointer_path TEXT,
  pointer_bytes INTEGER,
  pointer_sha256 TEXT,
  cairn_url TEXT,
  totals TEXT,
  FOREIGN KEY (harness, run_id) REFERENCES run (harness, run_id),
  UNIQUE (harness, run_id, agent, session_id)
) STRICT;
CREATE INDEX session_known ON session (agent, session_id);

CREATE TABLE claim (
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  how TEXT NOT NULL,
  from_at INTEGER,
  to_at INTEGER,
  total TEXT,
  PRIMARY KEY (agent, session_id, harness, run_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  key TEXT NOT NULL,
  rev INTEGER NOT NULL,
  change INTEGER NOT NULL UNIQUE,
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  turn INTEGER,
  body TEXT NOT NULL,
  kept INTEGER NOT NULL,
  duplicate INTEGER NOT NULL DEFAULT 0,
  duplicate_of INTEGER REFERENCES session (id) ON DELETE SET NULL,
  UNIQUE (session, type, key)
) STRICT;
CREATE INDEX event_change ON event (session, change);
CREATE INDEX event_duplicate_of ON event (duplicate_of) WHERE duplicate_of IS NOT NULL;

CREATE TABLE counted (
  agent TEXT NOT NULL,
  key TEXT NOT NULL,
  session INTEGER REFERENCES session (id) ON DELETE SET NULL,
  PRIMARY KEY (agent, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX counted_session ON counted (session);

CREATE TABLE cursor (
  source TEXT PRIMARY KEY,
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  state TEXT NOT NULL,
  raw_in INTEGER NOT NULL,
  file_out INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cursor_run ON cursor (harness, run_id);

CREATE TABLE output (
  change INTEGER PRIMARY KEY,
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  channel TEXT NOT NULL,
  at INTEGER NOT NULL,
  from_byte INTEGER NOT NULL,
  to_byte INTEGER NOT NULL
) STRICT;
CREATE INDEX output_run ON output (harness, run_id, change);

CREATE TABLE subscriber (
  name TEXT PRIMARY KEY,
  change INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
