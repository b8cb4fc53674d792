import type { Duplex } from "node:stream";
import { encodeToViewer, OUTPUT_FRAME_BYTES, viewerReader, type ViewSize } from "../protocol/attach.ts";

/** What waits for a slow client at most; beyond it what waits is not added to, and a fresh screen is sent instead. */
const BACKLOG_BYTES = 1024 * 1024;

export interface ViewerOptions {
  readOnly: boolean;
  /** Wall time in ms. */
  since: number;
}

export interface ViewerEvents {
  input(bytes: Uint8Array): void;
  /** It is of another size now. */
  resized(first: boolean): void;
  /** It fell behind, and has taken by now what was sent before. */
  caughtUp(): void;
  left(): void;
}

/** One client that looks at a terminal. Sending never waits for it. */
export class Viewer {
  readonly readOnly: boolean;
  readonly since: number;
  readonly #stream: Duplex;
  /** Its own terminal's; undefined until it has said so, and before that it is sent nothing. */
  size: ViewSize | undefined;
  /** Output since its screen was asked for; undefined while it is sent as it comes. */
  #held: Uint8Array[] | undefined = [];
  #behind = false;

  constructor(stream: Duplex, options: ViewerOptions, events: ViewerEvents) {
    this.readOnly = options.readOnly;
    this.since = options.since;
    this.#stream = stream;
    const reader = viewerReader();
    stream.on("data", (chunk: Buffer) => {
      try {
        for (const message of reader.push(chunk)) {
          if (message.type === "size") {
            const first = this.size === undefined;
            this.size = message.size;
            events.resized(first);
          } else if (!this.readOnly) events.input(message.bytes);
        }
      } catch {
        // Nothing behind a malformed frame can be trusted.
        stream.destroy();
      }
    });
    stream.on("drain", () => {
      if (!this.#behind) return;
      this.#behind = false;
      this.#held = [];
      events.caughtUp();
    });
    stream.on("end", () => stream.destroy());
    stream.on("error", () => undefined);
    stream.on("close", () => events.left());
    stream.resume();
  }

  /** Its screen as of now; what was held back follows. */
  paint(repaint: string): void {
    if (this.#behind) return;
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#send(Buffer.from(repaint));
    for (const bytes of held) this.output(bytes);
  }

  output(bytes: Uint8Array): void {
    if (this.#behind || this.size === undefined) return;
    if (this.#held !== undefined) {
      // The bytes lie in a buffer of the sender's.
      this.#held.push(Uint8Array.from(bytes));
      return;
    }
    if (this.#stream.writableLength > BACKLOG_BYTES) this.#behind = true;
    else this.#send(bytes);
  }

  end(reason: string): void {
    if (this.#stream.writable) this.#stream.end(encodeToViewer({ type: "end", reason }));
  }

  #send(bytes: Uint8Array): void {
    if (!this.#stream.writable) return;
    for (let from = 0; from < bytes.length; from += OUTPUT_FRAME_BYTES) {
      const piece = bytes.subarray(from, from + OUTPUT_FRAME_BYTES);
      this.#stream.write(encodeToViewer({ type: "output", bytes: piece }));
    }
  }
}
