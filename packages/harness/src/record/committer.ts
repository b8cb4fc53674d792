import type { TraceItem } from "@orphus/agent-trace/item";
import { HarnessError } from "../base/errors.ts";
import type { Batch, Committed, Cursor, OutputSegment } from "../store/batch.ts";
import type { BusEvent } from "./bus.ts";
import type { IntakeDeps, RunIdentity } from "./intake.ts";
import type { Written } from "./line-file.ts";

/** A batch is committed when it is this old … */
const BATCH_MS = 10;
/** … or has this many items … */
const BATCH_ITEMS = 256;
/** … or this many bytes wait for the files. */
const BATCH_BYTES = 1024 * 1024;

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;

/** What a commit takes from the channels at the instant it happens. */
export interface Snapshot {
  /** Writes the files' waiting lines; what went to the run log. */
  writeFiles(): Written[];
  /** Bytes that wait for the files. */
  waiting(): number;
  cursors(): Cursor[];
  /** The cursors that {@link Snapshot.cursors} gave are in the store. */
  committed(): void;
}

/**
 * Gathers a run's items and commits them in one transaction with the cursors that were reached by reading them: files
 * first, then the store, then the bus, then the acknowledgement. While the store takes nothing, all is kept and nothing
 * is acknowledged, so that the sender holds the child back.
 */
export class Committer {
  readonly #identity: RunIdentity;
  readonly #deps: IntakeDeps;
  readonly #snapshot: Snapshot;
  readonly #fault: (message: string) => void;
  #items: TraceItem[] = [];
  #output: (OutputSegment & { text: string })[] = [];
  /** When the first line of the batch was read; `undefined` while nothing waits. */
  #since: number | undefined;
  #cancelTimer: (() => void) | undefined;
  #retryMs = 0;

  constructor(identity: RunIdentity, deps: IntakeDeps, snapshot: Snapshot, fault: (message: string) => void) {
    this.#identity = identity;
    this.#deps = deps;
    this.#snapshot = snapshot;
    this.#fault = fault;
  }

  item(item: TraceItem): void {
    this.#items.push(item);
  }

  /** Something was read: it is committed soon, or now when the batch is full. Called between lines only. */
  touch(): void {
    this.#since ??= this.#deps.clock.now();
    const full = this.#items.length >= BATCH_ITEMS || this.#snapshot.waiting() >= BATCH_BYTES;
    // After a failure only the retry timer tries again.
    if (full && this.#retryMs === 0) this.commit();
    else this.#cancelTimer ??= this.#deps.clock.after(BATCH_MS, () => this.commit());
  }

  /** Commits what is there. False when the store took nothing; it is then tried again by itself. */
  commit(): boolean {
    this.#stopTimer();
    if (this.#since === undefined) return true;
    const at = this.#since;
    for (const { channel, from, to, text } of this.#snapshot.writeFiles()) {
      this.#output.push({ channel, from, to, text, at });
    }
    let done: Committed;
    try {
      done = this.#deps.store.commit(this.#batch(at));
    } catch (error) {
      this.#refused(error);
      return false;
    }
    this.#accepted(done);
    return true;
  }

  stop(): void {
    this.#stopTimer();
  }

  #batch(at: number): Batch {
    const { harness, runId, agent, recordTrace } = this.#identity;
    return {
      run: { harness, runId },
      agent,
      source: "stream",
      at,
      keepContent: recordTrace,
      items: this.#items,
      cursors: this.#snapshot.cursors(),
      output: this.#output,
    };
  }

  #accepted(done: Committed): void {
    const texts = this.#output.map((segment) => segment.text);
    this.#items = [];
    this.#output = [];
    this.#since = undefined;
    this.#retryMs = 0;
    this.#deps.bus.publish(this.#events(done, texts));
    this.#snapshot.committed();
  }

  #events(done: Committed, texts: readonly string[]): BusEvent[] {
    const { harness, runId } = this.#identity;
    const items = done.items.map((stored): BusEvent => ({ type: "item", ...stored }));
    const output = done.output.map(({ change, segment }, index): BusEvent => ({
      type: "output",
      change,
      run: { harness, runId },
      channel: segment.channel,
      at: segment.at,
      text: texts[index] ?? "",
    }));
    return [...items, ...output];
  }

  #refused(error: unknown): void {
    if (!(error instanceof HarnessError)) throw error;
    if (this.#retryMs === 0) this.#fault(`${error.message} The run's record waits in memory.`);
    this.#retryMs = Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, this.#retryMs * 2));
    this.#cancelTimer = this.#deps.clock.after(this.#retryMs, () => this.commit());
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
