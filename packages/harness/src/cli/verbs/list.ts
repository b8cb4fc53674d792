import { localTime } from "../../view/style.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { isJob, lastRunCell, nextCell, stateCell } from "../harness-cells.ts";
import { listOffline } from "../list-offline.ts";
import { writeJson } from "../output.ts";
import { writeTable } from "../table.ts";
import { viewStyle } from "../view-style.ts";

/** Every harness of the configuration, and what it does now. */
export const list = async (context: Context): Promise<number> => {
  const rows = await askOr(
    context,
    (client) => client.call("list", {}),
    () => listOffline(context),
  );
  if (context.json) {
    writeJson(context.out, rows);
    return 0;
  }
  if (rows.length === 0) {
    context.out.write(`no harnesses; define one in ${context.config.file} (see docs/config.md)\n`);
    return 0;
  }
  const timed = rows.some(
    (row) => isJob(row) || row.nextStart !== undefined || row.parkedUntil !== undefined,
  );
  const columns = [
    { title: "NAME", gives: true },
    { title: "KIND", gives: true },
    { title: "STATE" },
    ...(timed ? [{ title: "NEXT" }] : []),
    { title: "LAST RUN" },
    { title: "DESCRIPTION", gives: true },
  ];
  const clock = localTime(viewStyle(context.out));
  const now = context.now();
  writeTable(
    context.out,
    columns,
    rows.map((row) => ({
      cells: [
        row.name,
        row.kind,
        stateCell(row),
        ...(timed ? [nextCell(row, now)] : []),
        lastRunCell(row, clock),
        row.description ?? "",
      ],
    })),
  );
  return 0;
};
