import type { Clock } from "../base/clock.ts";
import type { LogPage, LogsQuery } from "../protocol/methods.ts";
import { logPage } from "../query/log-page.ts";
import type { Sources } from "../query/run-row.ts";
import type { Bus } from "../record/bus.ts";

/**
 * A page of a run's record. With `waitMs`, an empty page of a live run is held back until there is more, the time is up,
 * or nobody waits for it any longer.
 */
export const patientPage = async (
  deps: { sources: Sources; bus: Bus; clock: Clock },
  query: LogsQuery,
  gone: AbortSignal,
): Promise<LogPage> => {
  const { sources, bus, clock } = deps;
  const first = logPage(sources, query);
  if (query.waitMs === undefined || !isEmpty(first)) return first;
  // Subscribed before the second look: what is committed in between is in it, what comes after rings.
  const subscription = bus.subscribe({
    run: { harness: first.run.harness, runId: first.run.runId },
    limit: 1,
  });
  const close = (): void => subscription.close();
  const cancel = clock.after(query.waitMs, close);
  gone.addEventListener("abort", close, { once: true });
  try {
    let page = logPage(sources, query);
    if (!isEmpty(page)) return page;
    for await (const event of subscription) {
      // Live items are not stored: they make no page.
      if (event.type === "live") continue;
      page = logPage(sources, query);
      if (!isEmpty(page)) break;
    }
    return page;
  } finally {
    cancel();
    gone.removeEventListener("abort", close);
    subscription.close();
  }
};

const isEmpty = (page: LogPage): boolean => page.entries.length === 0 && !page.complete;
