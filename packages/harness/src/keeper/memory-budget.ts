import { CHUNK_BYTES, TOTAL_LIMIT } from "../protocol/keeper.ts";

/**
 * How many channels a keeper serves. Half of all memory is split into one chunk for each, which is that channel's own:
 * however much others hold, it can always read one chunk, have it acknowledged and read the next. So slow runs never
 * stop another. The other half, shared here, goes to whoever needs it.
 */
export const MAX_CHANNELS = TOTAL_LIMIT / 2 / CHUNK_BYTES;

/** The shared half, in bytes. */
export class MemoryBudget {
  #left = TOTAL_LIMIT - MAX_CHANNELS * CHUNK_BYTES;
  readonly #waiting = new Set<() => void>();

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    if (bytes === 0) return;
    this.#left += bytes;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const retry of waiting) retry();
  }

  /** Calls `retry` once, when something has been given back. */
  whenFreed(retry: () => void): void {
    this.#waiting.add(retry);
  }

  cancel(retry: () => void): void {
    this.#waiting.delete(retry);
  }
}
