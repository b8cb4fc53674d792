import type { RunRow } from "../protocol/methods.ts";
import { createLogRenderer } from "../view/log.ts";
import { ask } from "./ask.ts";
import type { Context } from "./context.ts";
import { exitCodeOf } from "./outcome.ts";
import { askPages } from "./pages.ts";
import { viewStyle, writeLines } from "./view-style.ts";

/** Shows a run's record as it grows; the exit code is the run's. */
export const followRun = async (context: Context, run: RunRow): Promise<number> => {
  const renderer = createLogRenderer(viewStyle(context.out));
  return ask(context, async (client) => {
    let exitCode = 0;
    for await (const page of askPages(client, { name: run.harness, runId: run.runId }, true)) {
      writeLines(context.out, renderer.page(page));
      if (page.complete) exitCode = exitCodeOf(page.run);
    }
    return exitCode;
  });
};
