import { maskText } from "../base/mask.ts";
import { loadConfig } from "../config/load.ts";
import type { HarnessRow } from "../protocol/methods.ts";
import { definitionColumns } from "../query/harness-row.ts";
import { lastRun } from "../query/runs.ts";
import type { Context } from "./context.ts";
import { readOffline } from "./offline.ts";

/** The configuration's harnesses with what is on record of each; without a daemon nothing runs. */
export const listOffline = async (context: Context): Promise<HarnessRow[]> => {
  const { harnesses } = await loadConfig({ ...context.config, home: context.home, cwd: context.cwd });
  const rows = Array.from(harnesses.values(), (definition): HarnessRow => {
    const { schedule, webhooks } = definition;
    return {
      ...definitionColumns(definition, maskText),
      state: "stopped",
      ...(schedule !== undefined && { schedule }),
      ...(webhooks.length > 0 && { triggers: webhooks.map((each) => `webhook.${each}`) }),
    };
  });
  return readOffline(
    context,
    (sources) =>
      rows.map((row) => {
        const run = lastRun(sources, row.name);
        const { failed } = sources.store.intent(row.name);
        return {
          ...row,
          ...(failed !== undefined && { state: "failed" as const, failed }),
          ...(run !== undefined && { lastRun: run }),
        };
      }),
    () => rows,
  );
};
