import type { AgentName } from "@orphus/agent-trace/item";
import { HarnessError } from "../base/errors.ts";
import type { Mask } from "../base/mask.ts";
import type { Database } from "./database.ts";
import { integer } from "./row.ts";
import { resumed } from "./parks.ts";
import { advanceSchedule } from "./schedules.ts";
import { runRecord, type RunDue, type RunOutcome, type RunRecord, type RunRef } from "./run-record.ts";
import { sealRun, type RawRecord } from "./seal.ts";
import type { RunTotals } from "./totals.ts";

export interface NewRun {
  harness: string;
  kind: "oneshot" | "resident";
  agent: AgentName;
  /** Such as `manual` or `schedule`. */
  trigger: string;
  /** What fired, and the sender's id of its event. */
  source?: string;
  eventId?: string;
  /** The due time that the run stands for. With its row the schedule of the harness is decided up to there. */
  due?: RunDue;
  workdir?: string;
  recordTrace: boolean;
  /** Wall time in ms. */
  startedAt: number;
  /** Tells this start of the machine from every other one. */
  bootId?: string;
  /** The daemon's number, from {@link Epoch.next}. */
  epoch?: number;
}

/** What is known once the child runs. */
interface SpawnedRun {
  pid: number;
  /** With `pid`, names the process for good: ticks since boot. */
  startTime?: number;
  /** The keeper that holds it. */
  keeper: string;
}

interface RunEnd {
  outcome: Exclude<RunOutcome, "running">;
  /** In words. */
  reason?: string;
  exitCode?: number;
  signal?: string;
  /** Wall time in ms. */
  endedAt: number;
  /** Measured by a monotonic clock where the run was seen from start to end; else the difference of the wall times. */
  durationMs?: number;
  totals?: RunTotals;
  /** The run's raw record, where there is one. */
  raw?: RawRecord;
}

/**
 * The durable list of runs, content-free: one row a run, opened before its process exists and closed when it has ended.
 * Its words (reasons, notes, the working directory) are masked: they may quote a path or a program.
 * Every call is on disk before it returns. Throws `store_failed`, and `unknown_run` for a row that is not there.
 */
export interface Ledger {
  /** Returns the run's number: one more than the harness's latest. */
  open(run: NewRun): number;
  /** A firing that starts no process: opened and ended in one. */
  decided(run: NewRun, end: RunEnd): number;
  spawned(ref: RunRef, child: SpawnedRun): void;
  /** Closes an open run and seals its record; a run that is closed already stays as it is. */
  close(ref: RunRef, end: RunEnd): RunRecord;
  /** Adds a sentence about the run's record, such as a stream file that could not be written. */
  note(ref: RunRef, note: string): void;
  get(ref: RunRef): RunRecord | undefined;
  /** Runs without an end, oldest first: at boot each is adopted or interrupted. */
  openRuns(): RunRecord[];
}

/** How the ledger's words are masked, and the rules that a run's record is masked under. */
export interface LedgerWords {
  mask: Mask;
  /** As `<version> <hash>`. */
  ruleSet: string;
}

export const createLedger = (database: Database, { mask, ruleSet }: LedgerWords): Ledger => {
  const masked = (text: string | undefined): string | null => (text === undefined ? null : mask(text));

  const get = (ref: RunRef): RunRecord | undefined => {
    const row = database.get("SELECT * FROM run WHERE harness = ? AND run_id = ?", ref.harness, ref.runId);
    return row === undefined ? undefined : runRecord(row);
  };

  const known = (ref: RunRef): RunRecord => {
    const found = get(ref);
    if (found !== undefined) return found;
    throw new HarnessError("unknown_run", `${ref.harness} has no run ${ref.runId}.`);
  };

  const insert = (run: NewRun): number => {
    const next = integer(
      database.get("SELECT coalesce(max(run_id), 0) + 1 AS next FROM run WHERE harness = ?", run.harness) ??
        {},
      "next",
    );
    database.run(
      `INSERT INTO run (harness, run_id, kind, agent, trigger, workdir, record_trace, boot_id, epoch, started_at, outcome,
         source, event_id, due_at, due_first, due_count, rule_set)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?)`,
      run.harness,
      next,
      run.kind,
      run.agent,
      run.trigger,
      masked(run.workdir),
      run.recordTrace ? 1 : 0,
      run.bootId ?? null,
      run.epoch ?? null,
      run.startedAt,
      run.source ?? null,
      run.eventId ?? null,
      run.due?.at ?? null,
      run.due?.first ?? null,
      run.due?.count ?? null,
      ruleSet,
    );
    if (run.due !== undefined) advanceSchedule(database, run.harness, run.due.at);
    if (run.trigger === "resume") resumed(database, run.harness);
    return next;
  };

  const end = (ref: RunRef, startedAt: number, fields: RunEnd): void => {
    database.run(
      `UPDATE run SET outcome = ?, reason = ?, exit_code = ?, signal = ?, ended_at = ?, duration_ms = ?, totals = ?
       WHERE harness = ? AND run_id = ?`,
      fields.outcome,
      masked(fields.reason),
      fields.exitCode ?? null,
      fields.signal ?? null,
      fields.endedAt,
      // A wall clock that was set back must not make a negative duration.
      Math.max(0, Math.round(fields.durationMs ?? fields.endedAt - startedAt)),
      fields.totals === undefined ? null : JSON.stringify(fields.totals),
      ref.harness,
      ref.runId,
    );
  };

  return {
    open: (run) => database.transaction("power", () => insert(run)),
    decided: (run, fields) =>
      database.transaction("power", () => {
        const runId = insert(run);
        end({ harness: run.harness, runId }, run.startedAt, fields);
        return runId;
      }),
    spawned: (ref, child) =>
      database.transaction("power", () => {
        known(ref);
        database.run(
          "UPDATE run SET pid = ?, pid_start = ?, keeper = ? WHERE harness = ? AND run_id = ?",
          child.pid,
          child.startTime ?? null,
          child.keeper,
          ref.harness,
          ref.runId,
        );
      }),
    close: (ref, fields) =>
      database.transaction("power", () => {
        const found = known(ref);
        if (found.outcome !== "running") return found;
        sealRun(database, ref, fields.raw);
        end(ref, found.startedAt, fields);
        return known(ref);
      }),
    note: (ref, note) =>
      database.transaction("power", () => {
        const notes = [...known(ref).notes, mask(note)];
        database.run(
          "UPDATE run SET notes = ? WHERE harness = ? AND run_id = ?",
          JSON.stringify(notes.slice(0, MAX_NOTES)),
          ref.harness,
          ref.runId,
        );
      }),
    get,
    openRuns: () =>
      database
        .all("SELECT * FROM run WHERE outcome = 'running' ORDER BY started_at, harness, run_id")
        .map(runRecord),
  };
};

const MAX_NOTES = 50;

/** Counts the daemons of a state folder: a keeper obeys the highest it has seen. */
export interface Epoch {
  /** The next number, on disk before it is returned. Called once by a daemon that holds the lock. */
  next(): number;
}

export const createEpoch = (database: Database): Epoch => ({
  next: () =>
    database.transaction("power", () => {
      database.run("UPDATE meta SET epoch = epoch + 1");
      return integer(database.get("SELECT epoch FROM meta") ?? {}, "epoch");
    }),
});
