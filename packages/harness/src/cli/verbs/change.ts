import type { Client } from "../../client/index.ts";
import type { HarnessRow } from "../../protocol/methods.ts";
import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { isJob, stateWords } from "../harness-cells.ts";
import { writeJson } from "../output.ts";
import { showWarning } from "../problem.ts";
import { styled } from "../style.ts";
import { UsageError } from "../usage.ts";

/** Verbs that change what a harness does. */
export type Change = "start" | "stop" | "restart";

export interface ChangeOptions {
  name?: string | undefined;
  /** Every harness for which the verb makes a difference. */
  all: boolean;
}

/** Starts, stops or restarts a harness or all of them, and prints a line for each. */
export const change = async (
  context: Context,
  verb: Change,
  { name, all }: ChangeOptions,
): Promise<number> => {
  if ((name === undefined) !== all) {
    throw new UsageError("bad_request", `${verb} takes the name of a harness, or --all.`, {
      hint: `for one: harness ${verb} NAME; for every one: harness ${verb} --all`,
    });
  }
  return ask(context, async (client) => {
    if (name !== undefined) {
      const row = await client.call(verb, { name });
      if (context.json) writeJson(context.out, row);
      else show(context, row);
      return 0;
    }
    const rows = await changeAll(client, verb);
    if (context.json) writeJson(context.out, rows);
    else for (const row of rows) show(context, row);
    return 0;
  });
};

const changeAll = async (client: Client, verb: Change): Promise<HarnessRow[]> => {
  const rows = await client.call("list", {});
  return Promise.all(rows.filter(CONCERNED[verb]).map(({ name }) => client.call(verb, { name })));
};

const isResident = ({ oneshot }: HarnessRow): boolean => oneshot !== true;
const isIdle = ({ state }: HarnessRow): boolean => state === "stopped" || state === "failed";

/** Whom `--all` means. */
const CONCERNED: Readonly<Record<Change, (row: HarnessRow) => boolean>> = {
  start: (row) => (isResident(row) ? isIdle(row) : row.paused === true),
  stop: (row) => !isIdle(row) || row.enabled === true || (isJob(row) && row.paused !== true),
  restart: (row) => isResident(row) && (!isIdle(row) || row.state === "failed"),
};

const heldBack = ({ schedule, triggers }: HarnessRow): string => {
  if (triggers === undefined) return "its schedule is paused";
  return schedule === undefined ? "events start nothing" : "its schedule is paused and events start nothing";
};

const show = (context: Context, row: HarnessRow): void => {
  const { sign, words, role } = stateWords(row);
  const paused = row.paused === true ? `; ${heldBack(row)} until: harness start ${row.name}` : "";
  context.out.write(`${styled(context.out, role ?? "faint", sign)} ${row.name} → ${words}${paused}\n`);
  if (row.state === "failed") showWarning(context.err, `${row.name}: ${row.failed ?? "failed"}`);
};
