import type { RunRow } from "../protocol/methods.ts";
import type { Cell } from "./table.ts";
import { duration } from "../view/amounts.ts";

type Outcome = RunRow["outcome"];

const marks: Readonly<Record<Outcome, { glyph: string; role: NonNullable<Cell["role"]>; words?: string }>> = {
  running: { glyph: "●", role: "busy" },
  success: { glyph: "✓", role: "good" },
  failed: { glyph: "✗", role: "bad" },
  timed_out: { glyph: "✗", role: "bad", words: "timed out" },
  cancelled: { glyph: "○", role: "warn" },
  interrupted: { glyph: "✗", role: "bad" },
  replaced: { glyph: "○", role: "warn" },
  skipped: { glyph: "–", role: "faint" },
  missed: { glyph: "–", role: "warn" },
};

/** The outcome as glyph and word. */
export const outcomeCell = (outcome: Outcome): Cell => {
  const { glyph, role, words } = marks[outcome];
  return { text: `${glyph} ${words ?? outcome}`, role };
};

/** `nightly run 3`, with its end where it has one. */
export const runTitle = (run: RunRow): string => `${run.harness} run ${run.runId}`;

export const runEnd = (run: RunRow): string => {
  const took =
    run.durationMs === undefined || run.outcome === "skipped" ? "" : ` after ${duration(run.durationMs)}`;
  return `${outcomeCell(run.outcome).text}${took}`;
};

/** Exit code of a verb that waited for a run: the run's own, 124 for a time-out, 75 for a run that was skipped. */
export const exitCodeOf = (run: RunRow): number => {
  if (run.outcome === "success" || run.outcome === "running") return 0;
  if (run.outcome === "timed_out") return 124;
  if (run.outcome === "skipped" || run.outcome === "missed") return 75;
  return run.exitCode === undefined || run.exitCode === 0 ? 1 : run.exitCode;
};
