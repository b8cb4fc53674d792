import type { RunRow } from "../protocol/methods.ts";
import { duration, grouped, shortUsd } from "./amounts.ts";
import { localTime, paint, type ViewStyle } from "./style.ts";
import { clip, oneLine, padEnd, padStart, width } from "./text.ts";

export interface RunsStyle extends ViewStyle {
  /** Adds trigger, model and tokens. */
  wide: boolean;
  /** No daemon says whether an open run still runs: it is shown as `running?`. */
  unsure?: boolean;
}

interface Column {
  title: string;
  right?: true;
  cell(run: RunRow): string;
}

const NAME_WIDTH = 24;
const LEAST_NAME_WIDTH = 8;
const GAP = 2;
const LATE_MS = 60_000;

/** The ledger as a table, one run a line, under its header. */
export const renderRuns = (runs: readonly RunRow[], style: RunsStyle): string[] => {
  const columns = columnsOf(style);
  const rows = runs.map((run) => columns.map((column) => oneLine(column.cell(run))));
  const titles = columns.map((column) => column.title);
  const widths = columns.map((_, at) => Math.max(...[titles, ...rows].map((row) => width(row[at] ?? ""))));
  const name = nameWidth(widths, style.width);
  const line = (cells: readonly string[]): string => {
    const laid = cells.map((cell, at) => {
      if (at === 0) return padEnd(clip(cell, name), name);
      return columns[at]?.right === true ? padStart(cell, widths[at] ?? 0) : padEnd(cell, widths[at] ?? 0);
    });
    const text = laid.join(" ".repeat(GAP)).trimEnd();
    return style.width > 0 ? clip(text, style.width) : text;
  };
  return [
    paint(style, "bold", line(titles)),
    ...rows.map((cells, at) => {
      const tone = toneOf(runs[at]);
      return tone === undefined ? line(cells) : paint(style, tone, line(cells));
    }),
  ];
};

/** The first column gives way where the line would be too long: the last ones say how the run ended. */
const nameWidth = (widths: readonly number[], limit: number): number => {
  const [name = 0, ...others] = widths;
  const wanted = Math.min(name, NAME_WIDTH);
  if (limit <= 0) return wanted;
  const rest = others.reduce((sum, each) => sum + each + GAP, 0);
  return Math.max(Math.min(wanted, LEAST_NAME_WIDTH), Math.min(wanted, limit - rest));
};

const columnsOf = (style: RunsStyle): Column[] => {
  const clock = localTime(style);
  const basic: Column[] = [
    { title: "HARNESS", cell: (run) => run.harness },
    { title: "RUN", right: true, cell: (run) => String(run.runId) },
    { title: "STARTED", cell: (run) => clock.date(run.startedAt) },
    {
      title: "TOOK",
      right: true,
      cell: (run) =>
        run.durationMs === undefined || run.outcome === "missed" ? "" : duration(run.durationMs),
    },
    { title: "OUTCOME", cell: (run) => outcome(run, style) },
    {
      title: "COST",
      right: true,
      cell: (run) => (run.costNanoUsd === undefined ? "" : shortUsd(run.costNanoUsd)),
    },
    { title: "CALLS", right: true, cell: (run) => grouped(run.toolCalls) },
    {
      title: "ERRORS",
      right: true,
      cell: (run) => (run.toolErrors === 0 ? "" : grouped(run.toolErrors)),
    },
  ];
  if (!style.wide) return basic;
  return [
    ...basic,
    { title: "TOKENS", right: true, cell: tokens },
    { title: "MODEL", cell: (run) => run.models.map((each) => each.model).join(", ") },
    {
      title: "EXIT",
      right: true,
      cell: (run) => run.signal ?? (run.exitCode === undefined ? "" : String(run.exitCode)),
    },
    { title: "TRIGGER", cell: (run) => `${run.source ?? run.trigger}${late(run)}` },
  ];
};

const outcome = (run: RunRow, style: RunsStyle): string => {
  if (run.outcome === "running") return style.unsure === true ? "running?" : "running";
  const count = run.due?.count ?? 1;
  if (count > 1) return `${run.outcome} ×${grouped(count)}`;
  return run.traceMissing ? `${run.outcome} (no trace)` : run.outcome;
};

/** How long after its due time a run began, where that is worth a word. */
const late = (run: RunRow): string => {
  if (run.due === undefined || run.outcome === "missed") return "";
  const ms = Date.parse(run.startedAt) - Date.parse(run.due.at);
  return ms > LATE_MS ? ` (${duration(ms)} late)` : "";
};

/** All that went to the model and came from it, where every part is known. */
const tokens = ({ tokens: { input, output, cacheRead, cacheWrite } }: RunRow): string =>
  input === undefined || output === undefined
    ? ""
    : grouped(input + output + (cacheRead ?? 0) + (cacheWrite ?? 0));

const toneOf = (run: RunRow | undefined): "red" | "yellow" | undefined => {
  if (run === undefined || run.outcome === "success" || run.outcome === "running") return undefined;
  return run.outcome === "failed" || run.outcome === "timed_out" ? "red" : "yellow";
};
