import type { HarnessRow } from "../protocol/methods.ts";
import { duration } from "../view/amounts.ts";
import type { LocalTime } from "../view/style.ts";
import { outcomeCell } from "./outcome.ts";
import type { Cell } from "./table.ts";

const states: Readonly<Record<HarnessRow["state"], Cell>> = {
  stopped: { text: "○ stopped", role: "faint" },
  starting: { text: "◌ starting", role: "busy" },
  running: { text: "● running", role: "good" },
  restarting: { text: "◌ restarting", role: "busy" },
  degraded: { text: "◐ degraded", role: "warn" },
  stopping: { text: "◌ stopping", role: "busy" },
  failed: { text: "✖ failed", role: "bad" },
};

/** What a harness does now; one that only waits for its time is armed. */
export const stateCell = (row: HarnessRow): Cell => {
  const idle = row.state === "stopped" || row.state === "failed";
  if (idle && row.parkedUntil !== undefined) return { text: "◷ parked", role: "warn" };
  if (row.unsure === true && row.state === "running") return { text: "● running?", role: "warn" };
  if (row.state !== "stopped") return states[row.state];
  if (row.paused === true) return { text: "‖ paused", role: "warn" };
  if (row.nextDue !== undefined) return { text: "⏱ armed", role: "good" };
  // Without a daemon nothing listens.
  return row.triggers === undefined || row.unsure === true
    ? states.stopped
    : { text: "↯ armed", role: "good" };
};

/** `in 2h 03m`, `now`, or how far behind it is. */
export const untilText = (iso: string, now: number): string => {
  const ms = Date.parse(iso) - now;
  if (Math.abs(ms) < 1000) return "now";
  const spoken = duration(Math.floor(Math.abs(ms) / 1000) * 1000).replace(/\.0 s$/, " s");
  return ms < 0 ? `${spoken} ago` : `in ${spoken}`;
};

/** When it starts next by itself: by its schedule, or after a wait. */
export const nextCell = (row: HarnessRow, now: number): string => {
  if (row.parkedUntil !== undefined) return `resets ${untilText(row.parkedUntil, now)}`;
  const next = row.nextStart ?? row.nextDue;
  if (next !== undefined) return untilText(next, now);
  const deaf = row.triggers === undefined || row.paused === true || row.unsure === true;
  return deaf ? "" : "on event";
};

/** A state as one word behind its sign, for a line on one harness. */
export const stateWords = (row: HarnessRow): { sign: string; words: string; role?: Cell["role"] } => {
  const { text, role } = stateCell(row);
  const [sign = "", ...words] = text.split(" ");
  return { sign, words: words.join(" "), ...(role !== undefined && { role }) };
};

/** Whether it starts by itself at all. */
export const isJob = ({ schedule, triggers }: HarnessRow): boolean =>
  schedule !== undefined || triggers !== undefined;

/** What starts it. */
export const startsText = ({ schedule, triggers = [] }: HarnessRow): string =>
  [...(schedule === undefined ? [] : [schedule]), ...triggers].join(", ");

export const lastRunCell = ({ lastRun: run, unsure }: HarnessRow, clock: LocalTime): Cell | string => {
  if (run === undefined) return "never";
  const { text, role } = outcomeCell(run.outcome);
  const doubt = unsure === true && run.outcome === "running" ? "?" : "";
  return { text: `${text}${doubt} ${clock.date(run.startedAt)}`, ...(role !== undefined && { role }) };
};
