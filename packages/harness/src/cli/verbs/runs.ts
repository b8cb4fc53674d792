import type { RunRow, RunsQuery } from "../../protocol/methods.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { readOffline } from "../offline.ts";
import { outcomeCell, outcomeNote } from "../outcome.ts";
import { writeJson } from "../output.ts";
import { writeTable, type Column, type Row } from "../table.ts";
import { showCost, showCount, showDuration, showMoment } from "../units.ts";

export interface RunsOptions {
  names: string[];
  /** Milliseconds since the epoch; the last 24 hours when absent. */
  since?: number;
  limit?: number;
  wide?: boolean;
}

const DAY_MS = 86_400_000;

/** What ran, and how it went. */
export const runs = async (context: Context, options: RunsOptions): Promise<number> => {
  const query: RunsQuery = {
    ...(options.names.length > 0 && { names: options.names }),
    since: new Date(options.since ?? context.now() - DAY_MS).toISOString(),
    limit: options.limit ?? 100,
  };
  const rows = await askOr(
    context,
    (client) => client.call("runs", query),
    () => readOffline(context, [], (query_) => query_.runs(query)),
  );
  if (context.json) {
    writeJson(context.out, rows);
  } else if (rows.length === 0) {
    const when = options.since === undefined ? " in the last 24 hours; see older ones with --since 30d" : "";
    context.out.write(`no runs${when}\n`);
  } else {
    const columns = options.wide === true ? [...narrow, ...wide] : narrow;
    writeTable(
      context.out,
      columns,
      rows.map((run) => rowOf(run, columns, context.now())),
    );
  }
  return 0;
};

interface RunColumn extends Column {
  cell(run: RunRow, now: number): Row["cells"][number];
}

const absent = "·";

const narrow: readonly RunColumn[] = [
  { title: "NAME", gives: true, cell: (run) => run.harness },
  { title: "RUN", align: "right", cell: (run) => String(run.runId) },
  { title: "STARTED", cell: (run, now) => showMoment(run.startedAt, now) },
  {
    title: "TOOK",
    align: "right",
    cell: (run) => (run.durationMs === undefined ? absent : showDuration(run.durationMs)),
  },
  { title: "OUTCOME", cell: (run) => outcomeCell(run.outcome) },
  {
    title: "CALLS",
    cell: (run) => (run.toolErrors > 0 ? `${run.toolCalls} (${run.toolErrors} ✗)` : String(run.toolCalls)),
  },
  { title: "COST", align: "right", cell: (run) => costOf(run) },
];

const costOf = (run: RunRow): string => {
  if (run.costNanoUsd === undefined) return absent;
  // A price of ours is an estimate beside the agent's own figure.
  return `${run.costSource === "priced" ? "~" : ""}${showCost(run.costNanoUsd)}`;
};

const wide: readonly RunColumn[] = [
  { title: "IN", align: "right", cell: ({ tokens }) => tokensOf(tokens.input) },
  { title: "CACHED", align: "right", cell: ({ tokens }) => tokensOf(tokens.cacheRead) },
  { title: "OUT", align: "right", cell: ({ tokens }) => tokensOf(tokens.output) },
  { title: "MODEL", cell: (run) => run.models.map(({ model }) => model).join(", ") || absent },
  { title: "AGENT", cell: (run) => run.agent },
  { title: "TRIGGER", cell: (run) => run.trigger },
  { title: "SESSION", cell: (run) => run.sessions[0]?.id ?? absent },
];

const tokensOf = (count: number | undefined): string => (count === undefined ? absent : showCount(count));

const rowOf = (run: RunRow, columns: readonly RunColumn[], now: number): Row => {
  const note = outcomeNote(run);
  return { cells: columns.map((column) => column.cell(run, now)), ...(note !== undefined && { note }) };
};
