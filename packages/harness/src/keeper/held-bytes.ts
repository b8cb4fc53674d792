import { CHANNEL_LIMIT, CHUNK_BYTES } from "../protocol/keeper.ts";
import type { MemoryBudget } from "./memory-budget.ts";

/** Small next to a channel's limit, so that a block held for one last byte costs little. */
const BLOCK_BYTES = 16 * 1024;

interface Block {
  /** Offset of its first byte in the channel. */
  start: number;
  used: number;
  bytes: Buffer;
}

/**
 * The bytes of one channel from `tail` to `head`, of which those from `acked` on count against the limits. Room for a read
 * is set aside before the read, so that neither the channel's limit nor the keeper's is ever passed, not even for a moment.
 */
export class HeldBytes {
  acked = 0;
  head = 0;
  readonly #budget: MemoryBudget;
  readonly #keep: number;
  #blocks: Block[] = [];
  #reserved = false;
  #sharedBytes = 0;

  /** `keep`: so many bytes (and up to a block more) stay readable after they are acknowledged; they are no credit. */
  constructor(budget: MemoryBudget, keep = 0) {
    this.#budget = budget;
    this.#keep = keep;
  }

  /** Offset of the first byte that can be read. */
  get tail(): number {
    return this.#keep === 0 ? this.acked : (this.#blocks[0]?.start ?? this.head);
  }

  /** Sets one chunk aside for the next {@link append}; false when there is no room now. */
  reserve(): boolean {
    if (this.#reserved) return true;
    const held = this.head - this.acked;
    if (held + CHUNK_BYTES > CHANNEL_LIMIT) return false;
    // The channel's own chunk covers one; what it holds beyond that comes out of the shared half.
    if (!this.#budget.take(held - this.#sharedBytes)) return false;
    this.#sharedBytes = held;
    this.#reserved = true;
    return true;
  }

  /** Adds what one read brought, at most a chunk. The bytes are copied: `bytes` may be used again. */
  append(bytes: Uint8Array): void {
    let taken = 0;
    while (taken < bytes.length) {
      const block = this.#tail();
      const part = bytes.subarray(taken, taken + BLOCK_BYTES - block.used);
      block.bytes.set(part, block.used);
      block.used += part.length;
      taken += part.length;
      this.head += part.length;
    }
    this.#reserved = false;
    this.#settle();
  }

  /** No read will follow: gives back what was set aside for one. */
  release(): void {
    this.#reserved = false;
    this.#settle();
  }

  /** Everything before `offset` is safe elsewhere. An offset that was acknowledged before changes nothing. */
  ack(offset: number): void {
    if (offset > this.head)
      throw new RangeError(`byte ${offset} was never read; the channel ends at ${this.head}`);
    if (offset <= this.acked) return;
    this.acked = offset;
    const gone = this.#blocks.findIndex((block) => block.start + block.used > offset - this.#keep);
    this.#blocks.splice(0, gone === -1 ? this.#blocks.length : gone);
    this.#settle();
  }

  /** Some of the bytes from an offset on, as they lie in memory; empty at `head`. */
  slice(from: number): Uint8Array {
    if (from < this.tail) throw new RangeError(`bytes before ${this.tail} are gone, ${from} is asked for`);
    const block = this.#blocks.find(({ start, used }) => from < start + used);
    return block === undefined ? EMPTY : block.bytes.subarray(from - block.start, block.used);
  }

  /** The channel is no longer wanted: gives all its memory back. */
  drop(): void {
    this.#reserved = false;
    this.#blocks = [];
    this.acked = this.head;
    this.#settle();
  }

  #tail(): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.used < BLOCK_BYTES) return last;
    const block = { start: this.head, used: 0, bytes: Buffer.allocUnsafeSlow(BLOCK_BYTES) };
    this.#blocks.push(block);
    return block;
  }

  #settle(): void {
    const charged = this.head - this.acked + (this.#reserved ? CHUNK_BYTES : 0);
    const shared = Math.max(0, charged - CHUNK_BYTES);
    const free = this.#sharedBytes - shared;
    this.#sharedBytes = shared;
    this.#budget.giveBack(free);
  }
}

const EMPTY = new Uint8Array(0);
