import type { Duplex } from "node:stream";
import { Screen } from "../screen/screen.ts";
import type { ViewSize } from "../protocol/attach.ts";
import { Viewer } from "./viewer.ts";

/** The way back to the program on the terminal. */
export interface TerminalPort {
  input(bytes: Uint8Array): void;
  resize(size: ViewSize): void;
}

/** A client that is attached, as `describe` tells it. */
export interface AttachSession {
  mode: "rw" | "ro";
  cols: number;
  rows: number;
  /** Wall time in ms. */
  since: number;
  /** Its size is the terminal's in at least one direction. */
  setsMinimum: boolean;
}

/** The terminal of one run: its screen, and those who look at it. */
export class Terminal {
  readonly screen: Screen;
  readonly #port: TerminalPort;
  readonly #viewers = new Set<Viewer>();
  /** Bytes have come that nobody had before: an earlier daemon answered the questions in the others. */
  #fresh = false;
  #drawn = false;

  constructor(size: ViewSize, port: TerminalPort) {
    this.#port = port;
    this.screen = new Screen({ ...size, answer: (text) => this.#answer(text) });
  }

  /** Bytes of the program, which the screen has been given already. `known`: an earlier daemon had them too. */
  output(bytes: Uint8Array, known: boolean): void {
    this.#drawn = true;
    this.#fresh = !known;
    for (const viewer of this.#viewers) viewer.output(bytes);
  }

  /** False before the program has written anything. */
  get drawn(): boolean {
    return this.#drawn;
  }

  attach(stream: Duplex, options: { readOnly: boolean; since: number }): void {
    const viewer: Viewer = new Viewer(stream, options, {
      input: (bytes) => this.#port.input(bytes),
      resized: (first) => {
        this.#fit();
        if (first) this.#paint(viewer);
      },
      caughtUp: () => this.#paint(viewer),
      left: () => {
        this.#viewers.delete(viewer);
        this.#fit();
      },
    });
    this.#viewers.add(viewer);
  }

  sessions(): AttachSession[] {
    const { cols, rows } = this.screen.size;
    return [...this.#viewers].flatMap(({ readOnly, size, since }) => {
      if (size === undefined) return [];
      const setsMinimum = size.cols === cols || size.rows === rows;
      return [{ mode: readOnly ? "ro" : "rw", ...size, since, setsMinimum }];
    });
  }

  end(reason: string): void {
    for (const viewer of this.#viewers) viewer.end(reason);
    this.screen.close();
  }

  /** Between two writes, so that what comes before is in the picture and what comes after is not. */
  #paint(viewer: Viewer): void {
    this.screen.inOrder(() => viewer.paint(`${CLEAR}${this.screen.repaint()}`));
  }

  /** The smallest of those who look; where nobody does, it stays as it is. */
  #fit(): void {
    const sizes = [...this.#viewers].flatMap(({ size }) => size ?? []);
    if (sizes.length === 0) return;
    const cols = Math.min(...sizes.map((size) => size.cols));
    const rows = Math.min(...sizes.map((size) => size.rows));
    const now = this.screen.size;
    if (cols === now.cols && rows === now.rows) return;
    this.screen.resize({ cols, rows });
    this.#port.resize({ cols, rows });
  }

  /** Somebody's own terminal answers by itself, and two answers would be one too many. */
  #answer(text: string): void {
    const answered = [...this.#viewers].some(({ readOnly }) => !readOnly);
    if (this.#fresh && !answered) this.#port.input(Buffer.from(text));
  }
}

/** An empty terminal in its first state, its scrollback kept. */
const CLEAR = "\u001b[!p\u001b[H\u001b[2J";
