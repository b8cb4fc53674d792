import { HarnessError } from "../base/errors.ts";
import type { RunRow, RunsQuery } from "../protocol/methods.ts";
import { runRow, type Sources } from "./run-row.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;

/** Rows of the ledger, newest first. Throws `bad_request` for a time or limit that is none. */
export const runs = (sources: Sources, query: RunsQuery): RunRow[] => {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new HarnessError("bad_request", `The limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  }
  const since = query.since === undefined ? undefined : Date.parse(query.since);
  if (Number.isNaN(since)) {
    throw new HarnessError("bad_request", `${query.since ?? ""} is no date and time.`, {
      hint: "Give it as 2026-11-30T22:00:00Z.",
    });
  }
  return sources.store
    .runs({
      limit,
      ...(query.names === undefined ? {} : { names: query.names }),
      ...(since === undefined ? {} : { since }),
    })
    .map((run) => runRow(sources, run));
};

/** The harness's latest run that ran, for its row in a list: a firing that was skipped or missed does not hide it. */
export const lastRun = (sources: Sources, harness: string): RunRow | undefined => {
  const run = sources.store.latestStarted(harness) ?? sources.store.latestRun(harness);
  return run === undefined ? undefined : runRow(sources, run);
};
