import type { Client } from "../client/index.ts";
import type { LogPage } from "../protocol/methods.ts";
import { logPage } from "../query/log-page.ts";
import type { Sources } from "../query/run-row.ts";

/** Which run's record. Without a number it is the latest, decided by the first page. */
export interface RunChoice {
  name: string;
  runId?: number;
}

/** How long the daemon may hold an answer back when there is nothing new. */
const PATIENCE_MS = 30_000;
const PAGE_LIMIT = 1000;

/** A run's record page by page: what there is now, or, when following, until the run has ended. */
export async function* askPages(client: Client, choice: RunChoice, follow: boolean): AsyncGenerator<LogPage> {
  let page = await client.call("logs", { ...choice, limit: PAGE_LIMIT });
  yield page;
  const { runId } = page.run;
  while (!page.complete) {
    const after = page.next;
    page = await client.call("logs", {
      name: choice.name,
      runId,
      after,
      limit: PAGE_LIMIT,
      ...(follow && { waitMs: PATIENCE_MS }),
    });
    if (page.entries.length > 0 || page.complete || follow) yield page;
    if (page.next === after && !follow) return;
  }
}

/** The same from the store. */
export function* storedPages(sources: Sources, choice: RunChoice): Generator<LogPage> {
  let page = logPage(sources, choice);
  yield page;
  const { runId } = page.run;
  while (!page.complete) {
    const after = page.next;
    page = logPage(sources, { name: choice.name, runId, after });
    if (page.entries.length > 0 || page.complete) yield page;
    if (page.next === after) return;
  }
}

/** All pages as one. */
export const joined = (pages: readonly LogPage[]): LogPage | undefined => {
  const last = pages.at(-1);
  return last && { ...last, entries: pages.flatMap((page) => page.entries) };
};
