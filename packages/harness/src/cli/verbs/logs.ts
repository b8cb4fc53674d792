import { HarnessError } from "../../base/errors.ts";
import type { Client } from "../../client/index.ts";
import type { LogPage, RunRow } from "../../protocol/methods.ts";
import { createLogRenderer } from "../../view/log.ts";
import { askOr } from "../ask.ts";
import type { Context } from "../context.ts";
import { readOffline } from "../offline.ts";
import { writeJson } from "../output.ts";
import { askPages, joined, storedPages, type RunChoice } from "../pages.ts";
import { showWarning } from "../problem.ts";
import { isOnTerminal, rawPages } from "../raw-pages.ts";
import { viewStyle, writeLines } from "../view-style.ts";

export interface LogsOptions {
  name: string;
  run?: number;
  follow?: boolean;
  raw?: boolean;
}

/** What a run did, rendered, raw or as JSON. */
export const logs = async (context: Context, options: LogsOptions): Promise<number> => {
  const choice: RunChoice = { name: options.name, ...(options.run !== undefined && { runId: options.run }) };
  const show = showerFor(context, options);
  await askOr(
    context,
    async (client) => showAll(client, choice, options.follow === true, show.page),
    () =>
      readOffline(
        context,
        (sources) => {
          for (const page of storedPages(sources, choice)) show.page(page);
        },
        () => {
          throw new HarnessError("unknown_run", `${choice.name} has no runs yet.`, {
            hint: "start the daemon and a run: harness daemon --detach, harness trigger NAME",
          });
        },
      ),
  );
  show.end();
  return 0;
};

/** The record of a run on a terminal has little before its end: what it does is on its screen. */
const sayWhereTheScreenIs = ({ err }: Context, run: RunRow | undefined): void => {
  if (run === undefined || run.outcome !== "running" || !isOnTerminal(run)) return;
  const { harness } = run;
  showWarning(
    err,
    `it runs on a terminal; see it with: harness capture ${harness}, harness attach ${harness}`,
  );
};

const showAll = async (
  client: Client,
  choice: RunChoice,
  follow: boolean,
  show: (page: LogPage) => void,
): Promise<void> => {
  for await (const page of askPages(client, choice, follow)) show(page);
};

interface Shower {
  page(this: void, page: LogPage): void;
  end(): void;
}

const showerFor = (context: Context, { raw, follow }: LogsOptions): Shower => {
  const { out } = context;
  if (raw === true) return { page: rawPages(out), end: () => undefined };
  if (!context.json) {
    const renderer = createLogRenderer(viewStyle(out));
    let last: RunRow | undefined;
    const page = (each: LogPage): void => {
      last = each.run;
      writeLines(out, renderer.page(each));
    };
    return { page, end: () => sayWhereTheScreenIs(context, last) };
  }
  // Followed, each page is printed as it comes; else the whole record is one object.
  if (follow === true)
    return { page: (page) => out.write(`${JSON.stringify(page)}\n`), end: () => undefined };
  const pages: LogPage[] = [];
  return { page: (page) => pages.push(page), end: () => writeJson(out, joined(pages)) };
};
