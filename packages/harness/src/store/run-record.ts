import type { AgentName } from "@orphus/agent-trace/item";
import { flag, integer, json, optionalInteger, optionalText, present, text, word, type Row } from "./row.ts";
import { emptyTotals, type RunTotals } from "./totals.ts";

/** One run of one harness. */
export interface RunRef {
  harness: string;
  runId: number;
}

export type RunOutcome =
  | "running"
  | "success"
  | "failed"
  | "timed_out"
  | "cancelled"
  | "interrupted"
  | "replaced"
  | "skipped"
  | "missed";

/** The due time a row stands for; the last of several, with the first and their number. Wall time in ms. */
export interface RunDue {
  at: number;
  first?: number;
  count?: number;
}

/** A row of the ledger. Times are wall time in ms. */
export interface RunRecord extends RunRef {
  kind: "oneshot" | "resident";
  agent: AgentName;
  trigger: string;
  /** What fired, such as `webhook.github`. */
  source?: string;
  eventId?: string;
  due?: RunDue;
  workdir?: string;
  recordTrace: boolean;
  bootId?: string;
  epoch?: number;
  pid?: number;
  /** Ticks since boot. */
  pidStart?: number;
  keeper?: string;
  startedAt: number;
  endedAt?: number;
  durationMs?: number;
  outcome: RunOutcome;
  reason?: string;
  exitCode?: number;
  signal?: string;
  /** Of an ended run. */
  totals: RunTotals;
  /** What is to be known about the record itself, such as a stream file that could not be written. */
  notes: string[];
}

const dueOf = (row: Row): RunDue | undefined => {
  const at = optionalInteger(row, "due_at");
  if (at === undefined) return undefined;
  return present({ at, first: optionalInteger(row, "due_first"), count: optionalInteger(row, "due_count") });
};

/** A row of the table `run`, as the ledger wrote it. */
export const runRecord = (row: Row): RunRecord =>
  present({
    harness: text(row, "harness"),
    runId: integer(row, "run_id"),
    kind: word<RunRecord["kind"]>(row, "kind"),
    agent: word<AgentName>(row, "agent"),
    outcome: word<RunOutcome>(row, "outcome"),
    trigger: text(row, "trigger"),
    source: optionalText(row, "source"),
    eventId: optionalText(row, "event_id"),
    due: dueOf(row),
    workdir: optionalText(row, "workdir"),
    recordTrace: flag(row, "record_trace"),
    bootId: optionalText(row, "boot_id"),
    epoch: optionalInteger(row, "epoch"),
    pid: optionalInteger(row, "pid"),
    pidStart: optionalInteger(row, "pid_start"),
    keeper: optionalText(row, "keeper"),
    startedAt: integer(row, "started_at"),
    endedAt: optionalInteger(row, "ended_at"),
    durationMs: optionalInteger(row, "duration_ms"),
    reason: optionalText(row, "reason"),
    exitCode: optionalInteger(row, "exit_code"),
    signal: optionalText(row, "signal"),
    totals: row["totals"] === null ? emptyTotals : json<RunTotals>(row, "totals"),
    notes: json<string[]>(row, "notes"),
  });
