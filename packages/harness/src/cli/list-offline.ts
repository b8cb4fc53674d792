import { maskText } from "../base/mask.ts";
import { isOneShot } from "../config/definition.ts";
import { loadConfig } from "../config/load.ts";
import type { HarnessRow } from "../protocol/methods.ts";
import { definitionColumns } from "../query/harness-row.ts";
import { lastRun } from "../query/runs.ts";
import type { Context } from "./context.ts";
import { readOffline } from "./offline.ts";

/** The configuration's harnesses with what is on record of each; what is open may run under the keeper. */
export const listOffline = async (context: Context): Promise<HarnessRow[]> => {
  const { harnesses } = await loadConfig({ ...context.config, home: context.home, cwd: context.cwd });
  const rows = Array.from(harnesses.values(), (definition): HarnessRow => {
    const { schedule, webhooks } = definition;
    return {
      ...definitionColumns(definition, maskText),
      state: "stopped",
      unsure: true,
      ...(isOneShot(definition) && { oneshot: true }),
      ...(schedule !== undefined && { schedule }),
      ...(webhooks.length > 0 && { triggers: webhooks.map((each) => `webhook.${each}`) }),
    };
  });
  return readOffline(
    context,
    (sources) =>
      rows.map((row) => {
        const run = lastRun(sources, row.name);
        const { failed, enabled } = sources.store.intent(row.name);
        const held = row.triggers !== undefined && row.oneshot === true && enabled === false;
        const paused = held || (row.schedule !== undefined && sources.store.schedulePaused(row.name));
        return {
          ...row,
          ...(failed !== undefined && { state: "failed" as const, failed }),
          ...(run?.outcome === "running" && { state: "running" as const }),
          ...(paused && { paused }),
          ...(run !== undefined && { lastRun: run }),
        };
      }),
    () => rows,
  );
};
