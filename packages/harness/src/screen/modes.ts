import type { Terminal } from "@xterm/headless";

/** Private modes that the serializer restores by itself. */
const SERIALIZED = new Set([1, 6, 7, 45, 66, 9, 1000, 1002, 1003, 1004, 2004, 47, 1047, 1048, 1049]);
/** On unless a program turns them off. */
const ON_AT_FIRST = new Set([25]);

/**
 * What the serializer leaves out of a screen's state: hidden cursor, the mouse's encoding, the cursor's shape, the scroll
 * region. Followed as the program says them, and said again behind a repaint.
 */
export class LostModes {
  readonly #set = new Map<number, boolean>();
  #cursorStyle: number | undefined;
  #region: readonly [number, number] | undefined;

  constructor(terminal: Terminal) {
    const { parser } = terminal;
    const modes = (on: boolean) => (params: (number | number[])[]) => {
      for (const mode of params.flat()) if (!SERIALIZED.has(mode)) this.#set.set(mode, on);
      return false;
    };
    parser.registerCsiHandler({ prefix: "?", final: "h" }, modes(true));
    parser.registerCsiHandler({ prefix: "?", final: "l" }, modes(false));
    parser.registerCsiHandler({ intermediates: " ", final: "q" }, ([style]) => {
      this.#cursorStyle = typeof style === "number" ? style : undefined;
      return false;
    });
    parser.registerCsiHandler({ final: "r" }, ([top, bottom]) => {
      const whole = (top ?? 0) === 0 && (bottom ?? 0) === 0;
      this.#region = whole || typeof top !== "number" ? undefined : [top, Number(bottom ?? 0)];
      return false;
    });
    const forget = (): boolean => {
      this.#set.clear();
      this.#cursorStyle = undefined;
      this.#region = undefined;
      return false;
    };
    parser.registerEscHandler({ final: "c" }, forget);
    parser.registerCsiHandler({ intermediates: "!", final: "p" }, forget);
  }

  /** To be written behind a serialized screen; the cursor stays where it is. */
  footer(): string {
    const modes = [...this.#set]
      .filter(([mode, on]) => on !== ON_AT_FIRST.has(mode))
      .map(([mode, on]) => `\u001b[?${mode}${on ? "h" : "l"}`);
    const style = this.#cursorStyle === undefined ? "" : `\u001b[${this.#cursorStyle} q`;
    // A scroll region moves the cursor home, so it is saved around it.
    const region = this.#region === undefined ? "" : `\u001b7\u001b[${this.#region.join(";")}r\u001b8`;
    return modes.join("") + style + region;
  }
}
