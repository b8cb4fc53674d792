import type { TraceItem } from "../../item.ts";
import { count, object, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";

/** Most different novelties that are counted; the rest stays as it comes. */
const noveltyLimit = 500;

/** Counts what rows hold that the reader does not know: one mark a session and name, with a rising count. */
export class RowNovelties {
  readonly #counts: Map<string, number>;

  constructor(state?: JsonValue) {
    this.#counts = new Map(Object.entries(object(state) ?? {}).map(([id, seen]) => [id, count(seen) ?? 0]));
  }

  /** The item, its count and revision set where it is a novelty. */
  counted(item: TraceItem): TraceItem {
    if (item.type !== "mark" || item.kind !== "novelty") return item;
    const id = `${item.key} ${item.sessionId}`;
    const seen = (this.#counts.get(id) ?? 0) + 1;
    if (seen > 1 || this.#counts.size < noveltyLimit) this.#counts.set(id, seen);
    return { ...item, rev: seen - 1, count: seen };
  }

  state(): JsonObject {
    return Object.fromEntries(this.#counts);
  }
}
