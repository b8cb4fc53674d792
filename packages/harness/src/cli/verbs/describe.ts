import { HarnessError } from "../../base/errors.ts";
import type { HarnessRow } from "../../protocol/methods.ts";
import { localTime, type LocalTime } from "../../view/style.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { lastRunCell, stateCell, untilText } from "../harness-cells.ts";
import { listOffline } from "../list-offline.ts";
import { writeJson } from "../output.ts";
import { writeTable, type Cell } from "../table.ts";
import { viewStyle } from "../view-style.ts";

/** Everything that is to be said of one harness. */
export const describe = async (context: Context, name: string): Promise<number> => {
  const rows = await askOr(
    context,
    (client) => client.call("list", {}),
    () => listOffline(context),
  );
  const row = rows.find((each) => each.name === name);
  if (row === undefined) {
    const names = rows.map((each) => each.name).join(", ");
    throw new HarnessError("unknown_harness", `There is no harness named ${name}.`, {
      hint: names === "" ? "the configuration defines none" : `the configuration defines: ${names}`,
    });
  }
  if (context.json) {
    writeJson(context.out, row);
    return 0;
  }
  const fields = fieldsOf(row, context.now(), localTime(viewStyle(context.out)));
  writeTable(
    context.out,
    [{ title: "FIELD" }, { title: "VALUE", gives: true }],
    fields.flatMap(([field, value]) => (value === undefined ? [] : [{ cells: [field, value] }])),
  );
  return 0;
};

const sessionFields = ({ terminal }: HarnessRow): [string, string][] =>
  (terminal?.sessions ?? []).map(({ mode, cols, rows, setsMinimum }) => [
    "attached",
    `${cols}×${rows}, ${mode === "ro" ? "looking only" : "typing"}${setsMinimum ? ", sets the size" : ""}`,
  ]);

const fieldsOf = (row: HarnessRow, now: number, clock: LocalTime): [string, Cell | string | undefined][] => [
  ["name", row.name],
  ["kind", row.kind],
  ["state", stateCell(row)],
  ["pid", row.pid === undefined ? undefined : String(row.pid)],
  ["workdir", row.workdir],
  ["enabled", row.enabled === true ? "yes" : undefined],
  ["restarts", row.restarts === undefined ? undefined : String(row.restarts)],
  ["starts again", row.nextStart === undefined ? undefined : untilText(row.nextStart, now)],
  ["failed", row.failed],
  ["configuration", row.changed === true ? "changed; restart to apply" : undefined],
  ["terminal", row.terminal === undefined ? undefined : `${row.terminal.cols}×${row.terminal.rows}`],
  ...sessionFields(row),
  ["schedule", row.schedule],
  ["triggers", row.triggers?.join(", ")],
  [
    "next due",
    row.nextDue === undefined ? undefined : `${clock.date(row.nextDue)} (${untilText(row.nextDue, now)})`,
  ],
  [
    "parked until",
    row.parkedUntil === undefined
      ? undefined
      : `${clock.date(row.parkedUntil)} (usage limit; ${row.resumes === true ? "resumed then" : "not resumed"})`,
  ],
  ["last run", lastRunCell(row, clock)],
  ["description", row.description],
];
