import type { LiveItem } from "@orphus/agent-trace/item";
import type { RunRef, StoredItem } from "../store/read.ts";
import type { SourceKind } from "../store/batch.ts";

/** What passes the bus: each committed item once, run-log text as it is committed, and what is only shown live. */
export type BusEvent =
  | ({ type: "item" } & StoredItem)
  | { type: "output"; change: number; run: RunRef; channel: "stdout" | "stderr"; at: number; text: string }
  | { type: "live"; run: RunRef; source: SourceKind; item: LiveItem }
  /** The run's record is closed; nothing more of it follows. */
  | { type: "end"; run: RunRef };

/** Some events were not delivered because the subscriber was slower than the runs. */
interface Missed {
  type: "missed";
  count: number;
}

interface Subscription extends AsyncIterable<BusEvent | Missed> {
  close(): void;
}

interface SubscribeOptions {
  /** Only this run. */
  run?: RunRef;
  /** Most events that wait for the subscriber; default 1,024. Beyond it, or beyond 4 Mi characters of text, the oldest are dropped. */
  limit?: number;
}

/**
 * Hands committed items on. Publishing never waits: a slow subscriber loses events and is told how many. Whoever must
 * not lose any reads the store by change (`follow` in `follower.ts`) and takes the bus as a bell.
 */
export interface Bus {
  publish(events: readonly BusEvent[]): void;
  subscribe(options?: SubscribeOptions): Subscription;
  /** Ends every subscription. */
  close(): void;
}

const DEFAULT_LIMIT = 1024;
/** Most characters of run-log text that wait for one subscriber. */
const TEXT_LIMIT = 4 * 1024 * 1024;

export const createBus = (): Bus => {
  const queues = new Set<Queue>();
  return {
    publish(events) {
      for (const queue of queues) for (const event of events) queue.offer(event);
    },
    subscribe(options = {}) {
      const queue = createQueue(options, () => queues.delete(queue));
      queues.add(queue);
      return queue.subscription;
    },
    close() {
      for (const queue of queues) queue.subscription.close();
    },
  };
};

interface Queue {
  offer(event: BusEvent): void;
  subscription: Subscription;
}

const createQueue = (options: SubscribeOptions, onClose: () => void): Queue => {
  const limit = options.limit ?? DEFAULT_LIMIT;
  let waiting: BusEvent[] = [];
  let waitingText = 0;
  let missed = 0;
  let closed = false;
  let wake: (() => void) | undefined;

  const ring = (): void => {
    wake?.();
    wake = undefined;
  };

  const wanted = ({ run }: BusEvent): boolean =>
    options.run === undefined || (run.harness === options.run.harness && run.runId === options.run.runId);

  const take = (): (BusEvent | Missed)[] => {
    const events: (BusEvent | Missed)[] =
      missed > 0 ? [{ type: "missed", count: missed }, ...waiting] : waiting;
    waiting = [];
    waitingText = 0;
    missed = 0;
    return events;
  };

  async function* read(): AsyncGenerator<BusEvent | Missed> {
    try {
      while (true) {
        yield* take();
        if (closed && waiting.length === 0) return;
        if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      close();
    }
  }

  const isFull = (): boolean => waiting.length > limit || (waitingText > TEXT_LIMIT && waiting.length > 1);

  const drop = (): void => {
    const oldest = waiting.shift();
    waitingText -= oldest === undefined ? 0 : textLength(oldest);
    missed += 1;
  };

  const close = (): void => {
    closed = true;
    onClose();
    ring();
  };

  return {
    offer(event) {
      if (closed || !wanted(event)) return;
      waiting.push(event);
      waitingText += textLength(event);
      while (isFull()) drop();
      ring();
    },
    subscription: { [Symbol.asyncIterator]: read, close },
  };
};

const textLength = (event: BusEvent): number => (event.type === "output" ? event.text.length : 0);
