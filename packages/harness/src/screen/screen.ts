// oxlint-disable-next-line import/default -- it is CommonJS: what it exports is what Node gives as the default
import serializer from "@xterm/addon-serialize";
import xterm, { type IBuffer } from "@xterm/headless";
import { LostModes } from "./modes.ts";

/** A size in cells. */
export interface ScreenSize {
  cols: number;
  rows: number;
}

export interface ScreenOptions extends ScreenSize {
  /** An answer of the terminal to a question of the program (where is the cursor, what are you). */
  answer(text: string): void;
}

/** Rows kept above the screen, for those who attach. */
export const SCROLLBACK_ROWS = 1000;
/** Bytes that are drawn in one step. No step scrolls more rows than {@link HEADROOM_ROWS}: each has a byte at least. */
const STEP_BYTES = 2048;
const HEADROOM_ROWS = STEP_BYTES + 16;

/**
 * The screen of one program on a terminal: drawn from its bytes, in their order. Drawing is not done at once, so what is
 * to be known of a state is asked for in the same order: {@link Screen.inOrder} runs between two writes.
 */
export class Screen {
  readonly #terminal: xterm.Terminal;
  readonly #serializer = new serializer.SerializeAddon();
  readonly #modes: LostModes;
  /** Rows from the top of the buffer that have been given out; a taller screen may have taken some of them back. */
  #given = 0;
  /** The beginning of a line whose rest is still on the screen. */
  #begun = "";

  constructor({ cols, rows, answer }: ScreenOptions) {
    const scrollback = SCROLLBACK_ROWS + HEADROOM_ROWS;
    this.#terminal = new xterm.Terminal({ cols, rows, scrollback, allowProposedApi: true });
    this.#terminal.loadAddon(this.#serializer);
    this.#modes = new LostModes(this.#terminal);
    this.#terminal.onData(answer);
    const erased = (): boolean => {
      this.#given = 0;
      return false;
    };
    const { parser } = this.#terminal;
    parser.registerEscHandler({ final: "c" }, erased);
    parser.registerCsiHandler({ final: "J" }, ([what]) => what === 3 && erased());
  }

  get size(): ScreenSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  /** Draws bytes; `drawn` gets the lines that have left the screen at its top with them. */
  write(bytes: Uint8Array, drawn: (lines: string[]) => void): void {
    for (let from = 0; from < bytes.length; from += STEP_BYTES) {
      const last = from + STEP_BYTES >= bytes.length;
      this.#terminal.write(bytes.subarray(from, from + STEP_BYTES), () => {
        const lines = this.#scrolledOff();
        if (last || lines.length > 0) drawn(lines);
      });
    }
  }

  /** Runs a task when all that was written before is drawn, and nothing that is written later. */
  inOrder(task: () => void): void {
    this.#terminal.write("", task);
  }

  resize({ cols, rows }: ScreenSize): void {
    const reflows = cols !== this.#terminal.cols;
    this.#terminal.resize(cols, rows);
    // In another width rows are counted anew; what is above the screen by then is not given out again.
    if (reflows) this.#given = this.#terminal.buffer.normal.baseY;
  }

  /** Bytes that draw the screen as it is, with some of what is above it, on an empty terminal of the same size. */
  repaint(): string {
    return this.#serializer.serialize({ scrollback: SCROLLBACK_ROWS }) + this.#modes.footer();
  }

  /** What the screen shows, a text a row. */
  text(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) => rowText(active, active.baseY + row, true));
  }

  /** The lines that are on the screen and have not left it, without the empty ones at its end. */
  rest(): string[] {
    const { normal } = this.#terminal.buffer;
    const from = Math.max(this.#given, normal.baseY);
    const lines = this.#lines(normal, from, normal.baseY + this.#terminal.rows);
    if (this.#begun !== "") lines.push(this.#begun);
    this.#begun = "";
    return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  }

  close(): void {
    this.#terminal.dispose();
  }

  #scrolledOff(): string[] {
    const { normal } = this.#terminal.buffer;
    const lines = this.#lines(normal, this.#given, normal.baseY);
    this.#given = Math.max(this.#given, normal.baseY);
    if (normal.baseY > SCROLLBACK_ROWS) this.#trim();
    return lines;
  }

  /** Makes room above, so that the buffer is never full and rows can be told apart by their number. */
  #trim(): void {
    const { baseY } = this.#terminal.buffer.normal;
    this.#terminal.options.scrollback = SCROLLBACK_ROWS;
    this.#terminal.options.scrollback = SCROLLBACK_ROWS + HEADROOM_ROWS;
    this.#given -= baseY - this.#terminal.buffer.normal.baseY;
  }

  /** Rows as lines: a row that the terminal wrapped goes on in the next. */
  #lines(buffer: IBuffer, from: number, to: number): string[] {
    const lines: string[] = [];
    for (let row = from; row < to; row += 1) {
      const goesOn = buffer.getLine(row + 1)?.isWrapped === true;
      this.#begun += rowText(buffer, row, !goesOn);
      if (goesOn) continue;
      lines.push(this.#begun);
      this.#begun = "";
    }
    return lines;
  }
}

const rowText = (buffer: IBuffer, row: number, trimmed: boolean): string =>
  buffer.getLine(row)?.translateToString(trimmed) ?? "";
