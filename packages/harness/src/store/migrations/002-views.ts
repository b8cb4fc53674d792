/**
 * The views are the contract: what `sqlite3 harness.db` may be asked. Money is there twice, as the exact whole
 * nano-dollars and as `cost_usd`, a number for reading. A mark with an error class is an event of kind `error`.
 */
export const views = `
CREATE VIEW runs AS
SELECT harness, run_id, kind, agent, trigger, outcome, reason, exit_code, signal,
  strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') AS ended_at,
  duration_ms,
  totals ->> '$.tokens.input' AS input_tokens,
  totals ->> '$.tokens.output' AS output_tokens,
  totals ->> '$.tokens.cacheRead' AS cache_read_tokens,
  totals ->> '$.tokens.cacheWrite' AS cache_write_tokens,
  totals ->> '$.costNanoUsd' AS cost_nano_usd,
  (totals ->> '$.costNanoUsd') / 1e9 AS cost_usd,
  totals ->> '$.costSource' AS cost_source,
  totals ->> '$.toolCalls' AS tool_calls,
  totals ->> '$.toolErrors' AS tool_errors,
  totals -> '$.errors' AS errors,
  totals -> '$.sessions' AS sessions,
  totals -> '$.models' AS models,
  totals ->> '$.unreadLines' AS unread_lines,
  totals ->> '$.traceMissing' AS trace_missing,
  notes
FROM run;

CREATE VIEW sessions AS
SELECT s.harness, s.run_id, s.session_id, s.agent AS adapter, s.source,
  s.body ->> '$.parentSessionId' AS parent_session_id,
  s.body ->> '$.startedAt' AS started_at,
  s.body ->> '$.endedAt' AS ended_at,
  s.body ->> '$.cwd' AS cwd,
  s.body ->> '$.gitBranch' AS git_branch,
  s.body ->> '$.title' AS title,
  s.body -> '$.models' AS served,
  s.totals ->> '$.tokens.input' AS input_tokens,
  s.totals ->> '$.tokens.output' AS output_tokens,
  s.totals ->> '$.tokens.cacheRead' AS cache_read_tokens,
  s.totals ->> '$.tokens.cacheWrite' AS cache_write_tokens,
  s.totals ->> '$.costNanoUsd' AS cost_nano_usd,
  (s.totals ->> '$.costNanoUsd') / 1e9 AS cost_usd,
  s.totals ->> '$.costSource' AS cost_source,
  s.trace_id, s.pointer_path, s.pointer_bytes, s.pointer_sha256,
  s.dropped = 0 AS events_complete,
  s.dropped AS events_dropped,
  s.cairn_url
FROM session s;

CREATE VIEW events AS
SELECT s.harness, s.run_id, s.session_id, s.agent AS adapter, e.source, e.change, e.key, e.rev, e.seq,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS at,
  e.turn,
  CASE WHEN e.type = 'mark' AND e.body ->> '$.errorClass' IS NOT NULL THEN 'error' ELSE e.type END AS kind,
  e.body ->> '$.tool' AS tool,
  e.body ->> '$.action' AS action,
  e.body -> '$.targets' AS targets,
  e.body -> '$.outside' AS outside,
  CASE e.type WHEN 'tool_call' THEN e.body ->> '$.outcome' <> 'ok' WHEN 'result' THEN e.body ->> '$.isError'
    WHEN 'mark' THEN e.body ->> '$.errorClass' IS NOT NULL END AS is_error,
  e.body ->> '$.outcome' AS outcome,
  e.body ->> '$.errorClass' AS error_class,
  e.body ->> '$.errorKind' AS error_kind,
  e.body ->> '$.resultBytes' AS result_bytes,
  coalesce(e.body ->> '$.summary', e.body ->> '$.note', e.body ->> '$.text') AS summary,
  e.body ->> '$.kind' AS mark,
  e.body ->> '$.model' AS model,
  e.body ->> '$.provider' AS provider,
  e.body ->> '$.input' AS input_tokens,
  e.body ->> '$.output' AS output_tokens,
  e.body ->> '$.cacheRead' AS cache_read_tokens,
  coalesce(e.body ->> '$.cacheWrite5m' + e.body ->> '$.cacheWrite1h', e.body ->> '$.cacheWrite5m',
    e.body ->> '$.cacheWrite1h') AS cache_write_tokens,
  e.body ->> '$.reasoning' AS reasoning_tokens,
  e.body ->> '$.costNanoUsd' AS cost_nano_usd,
  (e.body ->> '$.costNanoUsd') / 1e9 AS cost_usd,
  e.body ->> '$.costSource' AS cost_source,
  e.body ->> '$.exact' AS exact,
  e.duplicate
FROM event e JOIN session s ON s.id = e.session
WHERE e.kept = 1;

CREATE VIEW results AS
SELECT s.harness, s.run_id, s.session_id, s.agent AS adapter,
  e.body ->> '$.subtype' AS subtype,
  e.body ->> '$.isError' AS is_error,
  e.body ->> '$.turns' AS turns,
  e.body ->> '$.durationMs' AS duration_ms,
  e.body ->> '$.text' AS text,
  e.body ->> '$.errorClass' AS error_class,
  s.totals ->> '$.costNanoUsd' AS cost_nano_usd,
  (s.totals ->> '$.costNanoUsd') / 1e9 AS cost_usd
FROM session s JOIN event e ON e.id = (
  SELECT id FROM event WHERE session = s.id AND type = 'result' AND kept = 1 ORDER BY seq DESC, change DESC LIMIT 1
);
`;
