import type { HarnessRow } from "../../protocol/methods.ts";
import { localTime, type LocalTime } from "../../view/style.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { listOffline } from "../list-offline.ts";
import { outcomeCell } from "../outcome.ts";
import { writeJson } from "../output.ts";
import { writeTable, type Cell, type Row } from "../table.ts";
import { viewStyle } from "../view-style.ts";

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
    const clock = localTime(viewStyle(context.out));
    writeTable(
      context.out,
      columns,
      rows.map((row) => rowOf(row, clock)),
    );
  }
  return 0;
};

const rowOf = (row: HarnessRow, clock: LocalTime): Row => ({
  cells: [row.name, row.kind, states[row.state], lastRun(row, clock), row.description ?? ""],
});

const lastRun = ({ lastRun: run }: HarnessRow, clock: LocalTime): Cell | string => {
  if (run === undefined) return "never";
  const { text, role } = outcomeCell(run.outcome);
  return { text: `${text} ${clock.date(run.startedAt)}`, ...(role !== undefined && { role }) };
};
