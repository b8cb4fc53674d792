import { existsSync } from "node:fs";
import type { StatePaths } from "../base/paths.ts";
import type { RunRow } from "../protocol/methods.ts";
import type { RunRecord, StoreReader } from "../store/read.ts";

/** What the answers are made from. The store may be read with or without a daemon beside it. */
export interface Sources {
  store: StoreReader;
  paths: StatePaths;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const dueTimes = ({ at, first, count }: NonNullable<RunRecord["due"]>): NonNullable<RunRow["due"]> => ({
  at: iso(at),
  ...(first === undefined ? {} : { first: iso(first) }),
  ...(count === undefined ? {} : { count }),
});

/** What a run wrote as text: a log of its own, or the harness's, in which the runs on a terminal follow each other. */
const textLog = (paths: StatePaths, { harness, runId, kind }: RunRecord): string | undefined => {
  const own = paths.runLog(harness, runId);
  if (existsSync(own)) return own;
  const shared = paths.durableLog(harness);
  return kind === "resident" && existsSync(shared) ? shared : undefined;
};

/** A ledger row as clients see it. Of a run that is still open it says what is known by now. */
export const runRow = ({ store, paths }: Sources, run: RunRecord): RunRow => {
  const open = run.outcome === "running";
  const totals = open ? store.totals(run) : run.totals;
  const log = textLog(paths, run);
  const stream = paths.stream(run.harness, run.runId);
  return {
    harness: run.harness,
    runId: run.runId,
    kind: run.kind,
    agent: run.agent,
    trigger: run.trigger,
    ...(run.source === undefined ? {} : { source: run.source }),
    ...(run.eventId === undefined ? {} : { eventId: run.eventId }),
    ...(run.due === undefined ? {} : { due: dueTimes(run.due) }),
    startedAt: iso(run.startedAt),
    ...(run.endedAt === undefined ? {} : { endedAt: iso(run.endedAt) }),
    ...(run.durationMs === undefined ? {} : { durationMs: run.durationMs }),
    outcome: run.outcome,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    ...(run.exitCode === undefined ? {} : { exitCode: run.exitCode }),
    ...(run.signal === undefined ? {} : { signal: run.signal }),
    ...(open && run.pid !== undefined ? { pid: run.pid } : {}),
    models: totals.models,
    tokens: totals.tokens,
    ...(totals.costNanoUsd === undefined ? {} : { costNanoUsd: totals.costNanoUsd }),
    costSource: totals.costSource,
    toolCalls: totals.toolCalls,
    toolErrors: totals.toolErrors,
    errors: totals.errors,
    sessions: totals.sessions,
    // A run that has only just begun has not failed to announce a session.
    traceMissing: !open && totals.traceMissing,
    ...(log === undefined ? {} : { log }),
    ...(existsSync(stream) ? { stream } : {}),
  };
};
