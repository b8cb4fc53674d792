import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";
import { styled } from "../style.ts";

/** Has the daemon load its configuration again. */
export const reload = async (context: Context): Promise<number> => {
  const reloaded = await ask(context, (client) => client.call("reload", {}));
  if (context.json) {
    writeJson(context.out, reloaded);
    return 0;
  }
  const { harnesses, restartToApply, restartDaemon } = reloaded;
  const { out } = context;
  out.write(
    `${styled(out, "good", "●")} reloaded — ${harnesses} ${harnesses === 1 ? "harness" : "harnesses"}\n`,
  );
  for (const what of ["added", "removed", "changed", "started"] as const) {
    if (reloaded[what].length > 0) out.write(`  ${what}: ${reloaded[what].join(", ")}\n`);
  }
  for (const table of restartDaemon) out.write(`  restart the daemon to apply: ${table}\n`);
  for (const name of restartToApply) out.write(`  restart to apply: harness restart ${name}\n`);
  return 0;
};
