import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { stateCell } from "../harness-cells.ts";
import { writeJson } from "../output.ts";
import { styled } from "../style.ts";

/** Lets a schedule that `stop` paused go on. */
export const start = async (context: Context, name: string): Promise<number> => {
  const row = await ask(context, (client) => client.call("start", { name }));
  if (context.json) writeJson(context.out, row);
  else {
    const [glyph = "", ...words] = stateCell(row).text.split(" ");
    context.out.write(`${styled(context.out, "good", glyph)} ${row.name} → ${words.join(" ")}\n`);
  }
  return 0;
};
