import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";
import { styled } from "../style.ts";

/** Stops what a harness is running, and returns when it has ended. */
export const stop = async (context: Context, name: string): Promise<number> => {
  const row = await ask(context, (client) => client.call("stop", { name }));
  if (context.json) writeJson(context.out, row);
  else {
    const paused = row.paused === true ? `; its schedule is paused until: harness start ${row.name}` : "";
    context.out.write(`${styled(context.out, "faint", "○")} ${row.name} → ${row.state}${paused}\n`);
  }
  return 0;
};
