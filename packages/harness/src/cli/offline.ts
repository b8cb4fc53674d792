import type { Sources } from "../query/run-row.ts";
import { openStoreReader } from "../store/read.ts";
import type { Context } from "./context.ts";
import { showWarning } from "./problem.ts";

/**
 * Answers from what the daemon left on disk, and says so. `none` is the answer where there is no record yet.
 */
export const readOffline = <Answer>(
  context: Context,
  read: (sources: Sources) => Answer,
  none: () => Answer,
): Answer => {
  showWarning(context.err, "the daemon is not running; this is what it left on record");
  const store = openStoreReader(context.paths.store);
  if (store === undefined) return none();
  try {
    return read({ store, paths: context.paths });
  } finally {
    store.close();
  }
};
