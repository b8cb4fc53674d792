import { number, object, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";

/** Most rows that are remembered as read. */
const seenLimit = 5000;

/**
 * Which rows have changed since the last poll. A writer stamps a row before it commits, so a row can come to light with a
 * stamp older than the newest one read: a window behind that is read again at each poll, and what was given out already
 * is passed over.
 */
export class Changes {
  #newest: number;
  readonly #window: number;
  /** Rows in the window and their stamps, in order of reading. */
  readonly #seen: Map<string, number>;

  /** `window`: in the unit of the database's stamps. */
  constructor(window: number, state?: JsonValue) {
    const saved = object(state);
    this.#window = window;
    this.#newest = number(saved?.["newest"]) ?? 0;
    this.#seen = new Map(
      Object.entries(object(saved?.["seen"]) ?? {}).flatMap(([id, stamp]): [string, number][] =>
        typeof stamp === "number" ? [[id, stamp]] : [],
      ),
    );
  }

  /** The oldest stamp to read. */
  get since(): number {
    return this.#newest - this.#window;
  }

  /** Whether the row, as stamped, was not read before; from then on it was. */
  isNew(id: string, stamp: number): boolean {
    if (stamp < this.since || this.#seen.get(id) === stamp) return false;
    this.#seen.delete(id);
    this.#seen.set(id, stamp);
    return true;
  }

  /** Ends a poll: forgets what lies before the window. */
  advance(newest: number): void {
    this.#newest = Math.max(this.#newest, newest);
    for (const [id, stamp] of this.#seen) if (stamp < this.since) this.#seen.delete(id);
    for (const id of this.#seen.keys()) {
      if (this.#seen.size <= seenLimit) break;
      this.#seen.delete(id);
    }
  }

  state(): JsonObject {
    return { newest: this.#newest, seen: Object.fromEntries(this.#seen) };
  }
}
