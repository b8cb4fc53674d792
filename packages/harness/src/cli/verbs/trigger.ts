import { resolve } from "node:path";
import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { settle } from "../settle.ts";

/** Starts a run now; with `wait`, returns when it has ended, with its exit code. */
export const trigger = async (
  context: Context,
  { name, wait, event }: { name: string; wait: boolean; event?: string },
): Promise<number> => {
  const run = await ask(context, (client) =>
    client.call("trigger", {
      name,
      wait,
      ...(event !== undefined && { eventFile: resolve(context.cwd, event) }),
    }),
  );
  return settle(context, run);
};
