export { RefusedError } from "./guard.ts";
export { type RunningServer, type ServerOptions, startServer } from "./server.ts";
export { openSqliteStore, type SqliteOptions } from "./store/sqlite.ts";
export { StoreError, type TraceStore } from "./store/store.ts";
export type { ErrorBody, ErrorCode, Problem } from "./api/errors.ts";
export type { JsonValue, Output, Provenance, Run, Span, Timestamp } from "./run/run.ts";
export type { RunView, SpanView, StatsView } from "./run/view.ts";
