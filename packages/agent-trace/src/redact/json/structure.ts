const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/uy;

const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end";

/** Checks what stands outside of the strings of a JSON text, piece by piece. */
export class Structure {
  readonly #open: number[] = [];
  #next: Expected = "value";

  /** Takes what stands between two strings. Whether it is JSON so far. */
  between(text: string, from: number, to: number): boolean {
    for (let at = from; at < to;) {
      const code = text.charCodeAt(at);
      if (code === 32 || code === 9 || code === 10 || code === 13) at += 1;
      else if (this.#sign(code)) at += 1;
      else {
        at = this.#scalar(text, at, to);
        if (at < 0) return false;
      }
    }
    return true;
  }

  /** Takes a string: `key` or `value`; `undefined` where none may stand. */
  string(): "key" | "value" | undefined {
    if (this.#next === "key" || this.#next === "key or end") {
      this.#next = "colon";
      return "key";
    }
    if (!this.#takesValue()) return undefined;
    this.#next = "comma or end";
    return "value";
  }

  /** Whether the text may end here. */
  get isWhole(): boolean {
    return this.#open.length === 0 && this.#next === "comma or end";
  }

  #takesValue(): boolean {
    return this.#next === "value" || this.#next === "value or end";
  }

  #sign(code: number): boolean {
    switch (code) {
      case COLON:
        if (this.#next !== "colon") return false;
        this.#next = "value";
        return true;
      case COMMA:
        if (this.#next !== "comma or end" || this.#open.length === 0) return false;
        this.#next = this.#open.at(-1) === OPEN_OBJECT ? "key" : "value";
        return true;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (!this.#takesValue()) return false;
        this.#open.push(code);
        this.#next = code === OPEN_OBJECT ? "key or end" : "value or end";
        return true;
      case CLOSE_LIST:
        return this.#close(OPEN_LIST, "value or end");
      case CLOSE_OBJECT:
        return this.#close(OPEN_OBJECT, "key or end");
      default:
        return false;
    }
  }

  #close(opened: number, empty: Expected): boolean {
    if (this.#open.at(-1) !== opened || (this.#next !== empty && this.#next !== "comma or end")) return false;
    this.#open.pop();
    this.#next = "comma or end";
    return true;
  }

  /** Offset behind the number or word at `at`; -1 where none may stand. */
  #scalar(text: string, at: number, to: number): number {
    if (!this.#takesValue()) return -1;
    SCALAR.lastIndex = at;
    if (!SCALAR.test(text) || SCALAR.lastIndex > to) return -1;
    this.#next = "comma or end";
    return SCALAR.lastIndex;
  }
}
