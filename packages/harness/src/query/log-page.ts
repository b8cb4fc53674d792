import { HarnessError } from "../base/errors.ts";
import type { LogEntry, LogPage, LogsQuery } from "../protocol/methods.ts";
import type { RunChanges, RunRecord, StoredItem } from "../store/read.ts";
import { createLogText, type LogText } from "./log-text.ts";
import { runRow, type Sources } from "./run-row.ts";

const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 10_000;
/** A page ends when it has so much of the run log. */
const PAGE_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * A page of a run's record, in the order in which it became known: items, with the lines of the run log where they came
 * in between. Throws `unknown_run` and `bad_request`.
 */
export const logPage = (sources: Sources, query: LogsQuery): LogPage => {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new HarnessError("bad_request", `The limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  }
  const after = query.after ?? 0;
  // The row is read first: when it has ended, the changes that are read after it are all there will be.
  const run = findRun(sources, query);
  const changes = sources.store.changes(run, after, limit);
  const text = createLogText(sources.paths.runLog(run.harness, run.runId));
  const { entries, taken } = takeEntries(changes, text);
  text.close();
  return {
    run: runRow(sources, run),
    entries,
    next: changes.entries[taken - 1]?.change ?? after,
    complete: run.outcome !== "running" && !changes.more && taken === changes.entries.length,
    notices: notices(sources, run, text),
  };
};

const findRun = ({ store }: Sources, query: LogsQuery): RunRecord => {
  const run =
    query.runId === undefined
      ? (store.latestStarted(query.name) ?? store.latestRun(query.name))
      : store.run({ harness: query.name, runId: query.runId });
  if (run !== undefined) return run;
  const message =
    query.runId === undefined ? `${query.name} has no runs yet.` : `${query.name} has no run ${query.runId}.`;
  throw new HarnessError("unknown_run", message, { hint: `See its runs with: harness runs ${query.name}` });
};

/** As many changes as a page holds. */
const takeEntries = (changes: RunChanges, text: LogText): { entries: LogEntry[]; taken: number } => {
  const entries: LogEntry[] = [];
  let taken = 0;
  let bytes = 0;
  for (const change of changes.entries) {
    if (bytes > PAGE_TEXT_BYTES) break;
    entries.push(...logEntries(change, text));
    if (change.type === "output") bytes += change.segment.to - change.segment.from;
    taken += 1;
  }
  return { entries, taken };
};

const logEntries = (change: RunChanges["entries"][number], text: LogText): LogEntry[] => {
  if (change.type === "item") return [itemEntry(change.stored)];
  const type = change.segment.channel === "stderr" ? "stderr" : "unread";
  const at = new Date(change.segment.at).toISOString();
  return text.lines(change.segment).map((line) => ({ type, change: change.change, at, text: line }));
};

const itemEntry = (stored: StoredItem): LogEntry => ({
  type: "item",
  change: stored.change,
  source: stored.source,
  item: stored.item,
  ...(stored.item.at === undefined ? { at: new Date(stored.at).toISOString() } : {}),
  ...(stored.duplicate ? { duplicate: true } : {}),
});

/** What the reader of the page must know about the record itself. */
const notices = ({ store }: Sources, run: RunRecord, text: LogText): string[] => {
  const ended = run.outcome !== "running";
  const { traceMissing, unreadLines } = run.totals;
  return [
    ...run.notes,
    ...(ended && traceMissing ? ["No session was announced: there is no trace of what this run did."] : []),
    ...(run.recordTrace ? [] : ["This harness stores no events (record_trace = false)."]),
    ...(unreadLines > 0
      ? [`Lines of output that were no records: ${unreadLines}; they are in the run log.`]
      : []),
    ...store
      .incompleteSessions(run)
      .map(({ sessionId, dropped }) => `Session ${sessionId} has ${dropped} more events than are stored.`),
    ...(text.missing ? ["The run log is gone; its lines are missing here."] : []),
  ];
};
