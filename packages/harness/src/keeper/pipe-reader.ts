import { Socket } from "node:net";
import { CHUNK_BYTES } from "../protocol/keeper.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { MemoryBudget } from "./memory-budget.ts";

/** Every read lands here and is copied out at once, so pipes that are silent cost no memory. */
const landing = Buffer.allocUnsafeSlow(CHUNK_BYTES);

export interface PipeEvents {
  /** More bytes are held. */
  read(): void;
  /** Every holder of the other end has closed it. */
  end(): void;
}

/** Reads one pipe into its channel as long as there is room; without room the kernel's buffer fills and the child waits. */
export class PipeReader {
  readonly #held: HeldBytes;
  readonly #budget: MemoryBudget;
  readonly #socket: Socket;
  readonly #retry = (): void => this.proceed();
  #closed = false;

  constructor(readEnd: number, held: HeldBytes, budget: MemoryBudget, events: PipeEvents) {
    this.#held = held;
    this.#budget = budget;
    const callback = (bytes: number): boolean => {
      held.append(landing.subarray(0, bytes));
      events.read();
      return this.#mayRead();
    };
    held.reserve();
    this.#socket = new Socket({
      fd: readEnd,
      readable: true,
      writable: false,
      onread: { buffer: landing, callback },
    });
    // An error of a pipe's read end leaves nothing to read: to the run it is the end of the channel.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      if (this.#closed) return;
      this.#closed = true;
      this.#budget.cancel(this.#retry);
      held.release();
      events.end();
    });
  }

  /** Goes on where there is room again. */
  proceed(): void {
    if (!this.#closed && this.#mayRead()) this.#socket.resume();
  }

  /** Closes our end: a process that still writes gets SIGPIPE. */
  close(): void {
    this.#closed = true;
    this.#budget.cancel(this.#retry);
    this.#socket.destroy();
  }

  #mayRead(): boolean {
    if (this.#held.reserve()) return true;
    this.#budget.whenFreed(this.#retry);
    return false;
  }
}
