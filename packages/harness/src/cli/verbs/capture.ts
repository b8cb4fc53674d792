import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";

/** Prints what a harness's terminal shows now, as text. */
export const capture = async (context: Context, name: string): Promise<number> => {
  const screen = await ask(context, (client) => client.call("capture", { name }));
  if (context.json) writeJson(context.out, screen);
  else context.out.write(`${screen.text.replace(/\s+$/, "")}\n`);
  return 0;
};
