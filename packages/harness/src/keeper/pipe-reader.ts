import { Socket, type OnReadOpts } from "node:net";
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

/** Makes the socket that reads a descriptor as `onread` says. */
export type OpenSocket = (onread: OnReadOpts) => Socket;

export const pipeSocket =
  (fd: number): OpenSocket =>
  (onread) =>
    new Socket({ fd, readable: true, writable: false, onread });

/** Reads one pipe or terminal into its channel while there is room; without, the kernel's buffer fills and the child waits. */
export class PipeReader {
  readonly #held: HeldBytes;
  readonly #budget: MemoryBudget;
  readonly #socket: Socket;
  readonly #retry = (): void => this.proceed();
  #closed = false;

  constructor(open: OpenSocket, held: HeldBytes, budget: MemoryBudget, events: PipeEvents) {
    this.#held = held;
    this.#budget = budget;
    const callback = (bytes: number): boolean => {
      held.append(landing.subarray(0, bytes));
      events.read();
      return this.#mayRead();
    };
    held.reserve();
    this.#socket = open({ buffer: landing, callback });
    // An error leaves nothing to read: to the run it is the end of the channel. It is how a terminal ends.
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
