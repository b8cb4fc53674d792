import { localTime } from "../../view/style.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { isJob, lastRunCell, nextCell, startsText, stateCell } from "../harness-cells.ts";
import { listOffline } from "../list-offline.ts";
import { writeJson } from "../output.ts";
import { writeTable } from "../table.ts";
import { viewStyle } from "../view-style.ts";

/** The harnesses that start by themselves: when, and how the last time went. */
export const jobs = async (context: Context): Promise<number> => {
  const all = await askOr(
    context,
    (client) => client.call("list", {}),
    () => listOffline(context),
  );
  const rows = all.filter(isJob);
  if (context.json) {
    writeJson(context.out, rows);
  } else if (rows.length === 0) {
    context.out.write(
      "nothing starts by itself; give a harness a schedule or triggers (see docs/config.md)\n",
    );
  } else {
    const clock = localTime(viewStyle(context.out));
    const now = context.now();
    const columns = ["NAME", "STATE", "NEXT", "DUE", "LAST RUN", "STARTS"];
    writeTable(
      context.out,
      columns.map((title) => ({ title, gives: title === "STARTS" })),
      rows.map((row) => ({
        cells: [
          row.name,
          stateCell(row),
          nextCell(row, now),
          row.nextDue === undefined ? "" : clock.date(row.nextDue),
          lastRunCell(row, clock),
          startsText(row),
        ],
      })),
    );
  }
  return 0;
};
