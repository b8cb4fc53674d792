import type { HarnessRow } from "../../protocol/methods.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { listOffline } from "../offline.ts";
import { outcomeCell } from "../outcome.ts";
import { writeJson } from "../output.ts";
import { writeTable, type Cell, type Row } from "../table.ts";
import { showMoment } from "../units.ts";

const states: Readonly<Record<HarnessRow["state"], Cell>> = {
  stopped: { text: "○ stopped", role: "faint" },
  starting: { text: "◌ starting", role: "busy" },
  running: { text: "● running", role: "good" },
  stopping: { text: "◌ stopping", role: "busy" },
  failed: { text: "✖ failed", role: "bad" },
};

/** Every harness of the configuration, and what it does now. */
export const list = async (context: Context): Promise<number> => {
  const rows = await askOr(
    context,
    (client) => client.call("list", {}),
    () => listOffline(context),
  );
  if (context.json) {
    writeJson(context.out, rows);
  } else if (rows.length === 0) {
    context.out.write(`no harnesses; define one in ${context.config.file} (see docs/config.md)\n`);
  } else {
    const columns = [
      { title: "NAME" },
      { title: "KIND" },
      { title: "STATE" },
      { title: "LAST RUN" },
      { title: "DESCRIPTION", gives: true },
    ];
    writeTable(
      context.out,
      columns,
      rows.map((row) => rowOf(row, context.now())),
    );
  }
  return 0;
};

const rowOf = (row: HarnessRow, now: number): Row => ({
  cells: [row.name, row.kind, states[row.state], lastRun(row, now), row.description ?? ""],
});

const lastRun = ({ lastRun: run }: HarnessRow, now: number): Cell | string => {
  if (run === undefined) return "never";
  const { text, role } = outcomeCell(run.outcome);
  return { text: `${text} ${showMoment(run.startedAt, now)}`, ...(role !== undefined && { role }) };
};
