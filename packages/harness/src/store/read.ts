import { existsSync } from "node:fs";
import type { TraceItem } from "@orphus/agent-trace/item";
import type { OutputSegment, SourceKind, StoredItem } from "./batch.ts";
import { openDatabase, type Database, type Value } from "./database.ts";
import { runEvidence, type Evidence } from "./evidence.ts";
import { outputSegment, runFailures, type Failures } from "./failures.ts";
import { refuseNewer, schemaVersion } from "./migrate.ts";
import { readIntent, type Intent } from "./intents.ts";
import { integer, json, text, word, type Row } from "./row.ts";
import { runRecord, type RunRecord, type RunRef } from "./run-record.ts";
import { runTotals } from "./run-totals.ts";
import type { RunTotals } from "./totals.ts";

export type { OutputSegment, StoredItem } from "./batch.ts";
export type { RunOutcome, RunRecord, RunRef } from "./run-record.ts";
export type { RunTotals } from "./totals.ts";

interface RunsFilter {
  /** Any of these harnesses; all when absent. */
  names?: readonly string[];
  /** Started at or after, wall time in ms. */
  since?: number;
  limit: number;
}

/** Part of a run's record, in the order in which it became known. */
export interface RunChanges {
  entries: (
    | { type: "item"; change: number; stored: StoredItem }
    | { type: "output"; change: number; segment: OutputSegment }
  )[];
  /** Whether there are more behind the last. */
  more: boolean;
}

/** Reads the store; never writes. Works beside a running daemon and without one. */
export interface StoreReader {
  run(ref: RunRef): RunRecord | undefined;
  latestRun(harness: string): RunRecord | undefined;
  /** The latest run that had, or was to have, a process: no firing that was skipped or missed. */
  latestStarted(harness: string): RunRecord | undefined;
  intent(harness: string): Intent;
  /** Whether the operator's `stop` paused the harness's schedule. */
  schedulePaused(harness: string): boolean;
  /** Whether a run was recorded for this event of a source since then, wall time in ms. */
  hasEvent(source: string, eventId: string, since: number): boolean;
  /** When the usage limit that the run met ends, by the last word of its agent; wall time in ms. */
  quotaReset(ref: RunRef): number | undefined;
  /** Newest first. */
  runs(filter: RunsFilter): RunRecord[];
  /** Items and output segments of one run whose change is above `after`, lowest first. */
  changes(ref: RunRef, after: number, limit: number): RunChanges;
  /** Items of all runs whose change is above `after`, lowest first: what a lossless subscriber reads. */
  changesOfAll(after: number, limit: number): StoredItem[];
  /** What the items of a run add up to by now. */
  totals(ref: RunRef): RunTotals;
  /** What the items of a run say about how it went. */
  evidence(ref: RunRef): Evidence;
  /** The last failed calls, failed requests and stretches of stderr, `limit` of each. */
  failures(ref: RunRef, limit: number): Failures;
  /** Sessions of the run of which not every event is stored, with how many are not. */
  incompleteSessions(ref: RunRef): { sessionId: string; dropped: number }[];
  close(): void;
}

/** Opens the store for reading. `undefined` when there is none yet. Throws `store_newer` and `store_failed`. */
export const openStoreReader = (file: string): StoreReader | undefined => {
  if (!existsSync(file)) return undefined;
  const database = openDatabase(file, { readOnly: true });
  try {
    refuseNewer(database, file);
    if (schemaVersion(database) > 0) return storeReader(database);
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
};

export const storeReader = (database: Database): StoreReader => {
  const one = (row: Row | undefined): RunRecord | undefined =>
    row === undefined ? undefined : runRecord(row);
  return {
    run: (ref) =>
      one(database.get("SELECT * FROM run WHERE harness = ? AND run_id = ?", ref.harness, ref.runId)),
    latestRun: (harness) =>
      one(database.get("SELECT * FROM run WHERE harness = ? ORDER BY run_id DESC LIMIT 1", harness)),
    latestStarted: (harness) =>
      one(
        database.get(
          "SELECT * FROM run WHERE harness = ? AND outcome NOT IN ('skipped', 'missed') ORDER BY run_id DESC LIMIT 1",
          harness,
        ),
      ),
    intent: (harness) => readIntent(database, harness),
    schedulePaused: (harness) =>
      database.get("SELECT 1 FROM schedule WHERE harness = ? AND paused = 1", harness) !== undefined,
    hasEvent: (source, eventId, since) =>
      database.get(
        "SELECT 1 FROM run WHERE source = ? AND event_id = ? AND started_at >= ? LIMIT 1",
        source,
        eventId,
        since,
      ) !== undefined,
    quotaReset: ({ harness, runId }) => {
      const row = database.get(
        `SELECT e.body ->> '$.resetAt' AS reset FROM event e JOIN session s ON s.id = e.session
         WHERE s.harness = ? AND s.run_id = ? AND e.type = 'mark' AND e.body ->> '$.errorClass' = 'quota'
           AND e.body ->> '$.resetAt' IS NOT NULL ORDER BY e.change DESC LIMIT 1`,
        harness,
        runId,
      );
      const reset = row === undefined ? NaN : Date.parse(text(row, "reset"));
      return Number.isNaN(reset) ? undefined : reset;
    },
    runs: (filter) => {
      const { where, values } = runsWhere(filter);
      return database
        .all(
          `SELECT * FROM run ${where} ORDER BY started_at DESC, run_id DESC LIMIT ?`,
          ...values,
          filter.limit,
        )
        .map(runRecord);
    },
    changes: (ref, after, limit) => runChanges(database, ref, after, limit),
    changesOfAll: (after, limit) => itemsAbove(database, "item.change > ?", [after], limit),
    totals: (ref) => runTotals(database, ref),
    failures: (ref, limit) => runFailures(database, ref, limit),
    evidence: (ref) => runEvidence(database, ref),
    incompleteSessions: (ref) =>
      database
        .all(
          "SELECT session_id, dropped FROM session WHERE harness = ? AND run_id = ? AND dropped > 0",
          ref.harness,
          ref.runId,
        )
        .map((row) => ({ sessionId: text(row, "session_id"), dropped: integer(row, "dropped") })),
    close: () => database.close(),
  };
};

const runsWhere = (filter: RunsFilter): { where: string; values: Value[] } => {
  const conditions: string[] = [];
  const values: Value[] = [];
  if (filter.names !== undefined && filter.names.length > 0) {
    conditions.push(`harness IN (${filter.names.map(() => "?").join(", ")})`);
    values.push(...filter.names);
  }
  if (filter.since !== undefined) {
    conditions.push("started_at >= ?");
    values.push(filter.since);
  }
  return { where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`, values };
};

/**
 * Items above a change, lowest first, from sessions and events each. Two queries, so that each walks its own index by
 * change instead of sorting all that is behind.
 */
const itemsAbove = (
  database: Database,
  where: string,
  values: readonly Value[],
  limit: number,
): StoredItem[] => {
  const sessions = database.all(
    `SELECT s.change, s.harness, s.run_id, s.source, s.at, s.body, 0 AS duplicate
     FROM session s WHERE ${where.replaceAll("item.", "s.")} ORDER BY s.change LIMIT ?`,
    ...values,
    limit,
  );
  const events = database.all(
    `SELECT e.change, s.harness, s.run_id, e.source, e.at, e.body, e.duplicate
     FROM event e JOIN session s ON s.id = e.session
     WHERE e.kept = 1 AND ${where.replaceAll("item.", "e.")} ORDER BY e.change LIMIT ?`,
    ...values,
    limit,
  );
  return [...sessions, ...events]
    .map(storedItem)
    .sort((a, b) => a.change - b.change)
    .slice(0, limit);
};

const storedItem = (row: Row): StoredItem => ({
  change: integer(row, "change"),
  run: { harness: text(row, "harness"), runId: integer(row, "run_id") },
  source: word<SourceKind>(row, "source"),
  at: integer(row, "at"),
  item: json<TraceItem>(row, "body"),
  duplicate: integer(row, "duplicate") === 1,
});

const runChanges = (database: Database, ref: RunRef, after: number, limit: number): RunChanges => {
  const run = [ref.harness, ref.runId];
  const where = "s.harness = ? AND s.run_id = ? AND item.change > ?";
  const items = itemsAbove(database, where, [...run, after], limit + 1).map((stored) => ({
    type: "item" as const,
    change: stored.change,
    stored,
  }));
  const segments = database
    .all(
      "SELECT * FROM output WHERE harness = ? AND run_id = ? AND change > ? ORDER BY change LIMIT ?",
      ...run,
      after,
      limit + 1,
    )
    .map((row) => ({ type: "output" as const, change: integer(row, "change"), segment: outputSegment(row) }));
  const all = [...items, ...segments].sort((a, b) => a.change - b.change);
  return { entries: all.slice(0, limit), more: all.length > limit };
};
