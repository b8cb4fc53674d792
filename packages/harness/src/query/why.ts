import type { MarkItem, TraceItem } from "@orphus/agent-trace/item";
import { HarnessError } from "../base/errors.ts";
import type { RunRow } from "../protocol/methods.ts";
import type { RunRef } from "../store/read.ts";
import { createLogText } from "./log-text.ts";
import { runRow, type Sources } from "./run-row.ts";

/** Most failed calls and lines that are quoted. */
const QUOTED = 5;

/** What speaks for a run's outcome. */
export interface Why {
  run: RunRow;
  /** The outcome's reason in words. */
  reason: string;
  /** The last failed model request. */
  error?: MarkItem;
  /** The last failed calls, oldest first. */
  failedCalls: Extract<TraceItem, { type: "tool_call" }>[];
  /** The last lines of stderr, oldest first. */
  stderr: string[];
  /** What is to be known about the record itself. */
  notes: string[];
}

/** Why a run ended as it did, from the record alone. Throws `unknown_run`. */
export const why = (sources: Sources, ref: RunRef): Why => {
  const run = sources.store.run(ref);
  if (run === undefined) throw new HarnessError("unknown_run", `${ref.harness} has no run ${ref.runId}.`);
  const { failures, stderr } = sources.store.failures(ref, QUOTED);
  const text = createLogText(sources.paths.runLog(ref.harness, ref.runId));
  const lines = stderr.flatMap((segment) => text.lines(segment));
  text.close();
  const error = failures.findLast((item) => item.type === "mark");
  return {
    run: runRow(sources, run),
    reason: run.reason ?? (run.outcome === "running" ? "it is still running" : run.outcome),
    ...(error === undefined ? {} : { error }),
    failedCalls: failures.filter((item) => item.type === "tool_call"),
    stderr: lines.slice(-QUOTED),
    notes: run.notes,
  };
};
