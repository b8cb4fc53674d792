import type { StoredItem } from "../store/read.ts";
import type { Store } from "../store/store.ts";
import type { Bus } from "./bus.ts";

/** Most items that a follower is handed at once. */
const BATCH_ITEMS = 256;

export interface Follower {
  /** Resolves when the follower has ended: after {@link Follower.close}, or rejected with what `handle` threw. */
  readonly ended: Promise<void>;
  close(): void;
}

/**
 * A subscriber that must not lose anything, such as a budget: it reads the store by change, from where it was when the
 * last daemon ended, and takes the bus only as a bell. What `handle` has dealt with is remembered under `name`; after a
 * crash the last batch may come again, so `handle` adds differences by `change`, or overwrites.
 */
export const follow = (
  deps: { store: Store; bus: Bus },
  name: string,
  handle: (items: readonly StoredItem[]) => void | Promise<void>,
): Follower => {
  const { store } = deps;
  // A small queue: all that matters is that something came.
  const bell = deps.bus.subscribe({ limit: 1 });
  const stop = new AbortController();

  const catchUp = async (): Promise<void> => {
    let after = store.subscriber(name);
    while (!stop.signal.aborted) {
      const items = store.read.changesOfAll(after, BATCH_ITEMS);
      const last = items.at(-1);
      if (last === undefined) return;
      await handle(items);
      after = last.change;
      store.acknowledge(name, after);
    }
  };

  const run = async (): Promise<void> => {
    try {
      await catchUp();
      for await (const _ of bell) await catchUp();
    } finally {
      bell.close();
    }
  };

  return {
    ended: run(),
    close() {
      stop.abort();
      bell.close();
    },
  };
};
