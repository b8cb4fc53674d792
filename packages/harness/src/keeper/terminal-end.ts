import { ReadStream } from "node:tty";
import type { TerminalSize } from "../protocol/keeper.ts";
import { resizeTerminal } from "./libc.ts";
import type { OpenSocket } from "./pipe-reader.ts";

/** Input that a child has not read yet is kept up to here; more is dropped, as a terminal's own queue drops it. */
const INPUT_LIMIT = 64 * 1024;

/** Our end of a child's terminal. */
export class TerminalEnd {
  readonly #master: number;
  #stream: ReadStream | undefined;
  size: TerminalSize;

  constructor(master: number, size: TerminalSize) {
    this.#master = master;
    this.size = size;
  }

  /** The one reader of the terminal. */
  readonly open: OpenSocket = (onread) => {
    const stream = new ReadStream(this.#master, { onread });
    this.#stream = stream;
    stream.resume();
    return stream;
  };

  write(bytes: Uint8Array): void {
    const stream = this.#stream;
    if (stream?.writable === true && stream.writableLength + bytes.length <= INPUT_LIMIT) stream.write(bytes);
  }

  resize(size: TerminalSize): void {
    if (this.#stream?.destroyed !== false) return;
    resizeTerminal(this.#master, size);
    this.size = size;
  }
}
