import type { HarnessRow } from "../../protocol/methods.ts";
import { localTime, type LocalTime } from "../../view/style.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { isJob, lastRunCell, nextCell, startsText, stateCell } from "../harness-cells.ts";
import { listOffline } from "../list-offline.ts";
import { writeJson } from "../output.ts";
import { writeTable } from "../table.ts";
import { viewStyle } from "../view-style.ts";

/** With seconds where the schedule counts in them. */
const dueText = ({ nextDue, schedule }: HarnessRow, clock: LocalTime): string => {
  if (nextDue === undefined) return "";
  const date = clock.date(nextDue);
  return schedule?.startsWith("@every") === true
    ? `${date.split(" ", 1)[0] ?? ""} ${clock.time(nextDue)}`
    : date;
};

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
      columns.map((title) => ({ title, gives: title === "STARTS" || title === "NAME" })),
      rows.map((row) => ({
        cells: [
          row.name,
          stateCell(row),
          nextCell(row, now),
          dueText(row, clock),
          lastRunCell(row, clock),
          startsText(row),
        ],
      })),
    );
  }
  return 0;
};
