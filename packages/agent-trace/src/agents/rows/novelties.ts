import { oneLine } from "../../bounded-text.ts";
import type { FieldWatch } from "../../fields.ts";
import type { ItemHead, MarkItem, Novelty, TraceItem } from "../../item.ts";
import { count, object, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue } from "../../reader.ts";

/** Most different novelties that are counted; the rest stays as it comes. */
const noveltyLimit = 500;

/** One sight of something that a row holds and the reader does not know; {@link RowNovelties} makes one mark of all. */
export const noveltyMark = (
  head: ItemHead,
  what: Novelty["what"],
  name: string,
): MarkItem & { novelty: Novelty } => ({
  ...head,
  key: `novelty:${what}:${oneLine(name, 200)}:`,
  type: "mark",
  kind: "novelty",
  count: 1,
  novelty: { what, name: oneLine(name, 200) },
});

/** One sight of each field that is not known. */
export const fieldMarks = (head: ItemHead, fields: FieldWatch, record: JsonObject): MarkItem[] => {
  const marks: MarkItem[] = [];
  fields.check(record, (name) => marks.push(noveltyMark(head, "field", name)));
  return marks;
};

/** Counts what rows hold that the reader does not know: one mark a session and name, with a rising count. */
export class RowNovelties {
  readonly #counts: Map<string, number>;
  readonly #mask: (text: string) => string;

  /** `mask`: a field's name is the agent's text as well. */
  constructor(mask: (text: string) => string, state?: JsonValue) {
    this.#mask = mask;
    this.#counts = new Map(Object.entries(object(state) ?? {}).map(([id, seen]) => [id, count(seen) ?? 0]));
  }

  /** The item, its count and revision set where it is a novelty. */
  counted(item: TraceItem, agentVersion?: string): TraceItem {
    if (item.type !== "mark" || item.novelty === undefined) return item;
    const mark = noveltyMark(item, item.novelty.what, this.#mask(item.novelty.name));
    const id = `${mark.key} ${item.sessionId}`;
    const seen = (this.#counts.get(id) ?? 0) + 1;
    if (seen > 1 || this.#counts.size < noveltyLimit) this.#counts.set(id, seen);
    const novelty = { ...item.novelty, ...mark.novelty, ...present({ agentVersion }) };
    return { ...mark, rev: seen - 1, count: seen, novelty };
  }

  state(): JsonObject {
    return Object.fromEntries(this.#counts);
  }
}
