/** A failure that an operator can act on: what happened, and what to do next. */
export class HarnessError extends Error {
  /** Stable, machine-readable; part of the `--json` contract. */
  readonly code: ErrorCode;
  /** What to do next, in one sentence; shown behind an arrow. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HarnessError";
    this.code = code;
    this.hint = options.hint;
  }
}

export type ErrorCode =
  | "bad_request"
  | "config_invalid"
  | "config_unreadable"
  | "daemon_not_running"
  | "daemon_running"
  | "internal"
  | "keeper_failed"
  | "listen_failed"
  | "no_screen"
  | "no_terminal"
  | "not_found"
  | "program_not_found"
  | "run_in_flight"
  | "socket_denied"
  | "spawn_failed"
  | "store_failed"
  | "store_newer"
  | "unknown_harness"
  | "unknown_kind"
  | "unknown_run"
  | "version_mismatch"
  | "workdir_missing";
