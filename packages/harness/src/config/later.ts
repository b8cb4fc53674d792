/**
 * Keys and tables that the documents describe and this version does not act on. They are refused by name: a schedule
 * that is accepted and never fires would be worse than an error.
 */
const laterHarnessKeys = new Set([
  "allowed_tools",
  "cairn_export",
  "check",
  "daily_cost_usd",
  "export_telemetry",
  "hours_shutdown",
  "hours_shutdown_timeout",
  "max_cost_usd",
  "max_runs_per_day",
  "max_tokens",
  "mcp_config",
  "operating_hours",
  "quiet",
  "quota_backoff",
  "quota_backoff_max",
  "quota_group",
  "system_prompt_file",
]);

const laterTables = new Set(["budget", "cairn", "guard", "ledger", "notify", "telemetry"]);

const laterDaemonKeys = new Set([
  "compress_logs",
  "log_file",
  "log_level",
  "memory_limit",
  "pprof_addr",
  "scrollback",
  "scrollback_bytes",
  "socket",
]);

const laterTraceKeys = new Set(["max_mb", "retention"]);

/** Whether a later version will know this key; `table` is the first part of its table's name, or nothing at the top. */
export const comesLater = (table: string | undefined, key: string): boolean => {
  if (table === undefined) return laterTables.has(key);
  if (table === "harness") return laterHarnessKeys.has(key);
  if (table === "daemon") return laterDaemonKeys.has(key);
  return table === "trace" && laterTraceKeys.has(key);
};
