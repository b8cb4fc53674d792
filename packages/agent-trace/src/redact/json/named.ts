const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const COMMA = 44;

/**
 * Follows the value of a key that names a secret, string by string: it is one string, or all strings of a list and of
 * the lists in it. What stands between two strings is looked at once.
 */
export class NamedValue {
  readonly #line: string;
  #from = -1;
  #depth = 0;

  constructor(line: string) {
    this.#line = line;
  }

  /** A key that names a secret ends here. */
  begin(end: number): void {
    this.#from = end + 1;
    this.#depth = 0;
  }

  /** Another key, or what else ends the value. */
  end(): void {
    this.#from = -1;
  }

  /** Whether the string belongs to the value. */
  holds(start: number, end: number): boolean {
    if (this.#from < 0) return false;
    for (let at = this.#from; at < start - 1; at++) {
      const code = this.#line.charCodeAt(at);
      if (code === OPEN_LIST) this.#depth += 1;
      else if (code === CLOSE_LIST) this.#depth -= 1;
      const isOver = code === COMMA && this.#depth === 0;
      if (isOver || code === OPEN_OBJECT || code === CLOSE_OBJECT) {
        this.end();
        return false;
      }
    }
    this.#from = end + 1;
    return true;
  }
}
