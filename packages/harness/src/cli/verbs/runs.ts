import type { RunRow, RunsQuery } from "../../protocol/methods.ts";
import { runs as storedRuns } from "../../query/runs.ts";
import { renderRuns } from "../../view/runs.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { readOffline } from "../offline.ts";
import { writeJson } from "../output.ts";
import { viewStyle, writeLines } from "../view-style.ts";

export interface RunsOptions {
  names: string[];
  /** Milliseconds since the epoch; the last 24 hours when absent. */
  since?: number;
  limit?: number;
  wide?: boolean;
}

const DAY_MS = 86_400_000;

/** What ran, and how it went. */
export const runs = async (context: Context, options: RunsOptions): Promise<number> => {
  const query: RunsQuery = {
    ...(options.names.length > 0 && { names: options.names }),
    since: new Date(options.since ?? context.now() - DAY_MS).toISOString(),
    ...(options.limit !== undefined && { limit: options.limit }),
  };
  let unsure = false;
  const rows = await askOr(
    context,
    (client) => client.call("runs", query),
    () => {
      unsure = true;
      return readOffline(
        context,
        (sources) => storedRuns(sources, query),
        (): RunRow[] => [],
      );
    },
  );
  if (context.json) {
    writeJson(context.out, rows);
  } else if (rows.length === 0) {
    const when = options.since === undefined ? " in the last 24 hours; for older ones: --since 30d" : "";
    context.out.write(`no runs${when}\n`);
  } else {
    const style = viewStyle(context.out);
    // Who asks for more columns wants them whole.
    const width = options.wide === true ? 0 : style.width;
    writeLines(context.out, renderRuns(rows, { ...style, width, wide: options.wide === true, unsure }));
  }
  return 0;
};
