import { count, object, string, strings } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";

/** Most ids of ended sub-agents that are remembered. */
const childLimit = 200;

/** Where in the thread the reader is, and which of two records on one thing it has seen. */
export class Turns {
  /** The agent's id of the present turn, where it has ids. */
  id: string | undefined;
  /** The last failure of a model request that was marked in this turn. */
  failure: string | undefined;
  /** When a usage limit that is used up ends, by the last word on it. */
  resetAt: string | undefined;
  #responses: number;
  #numbered: string | undefined;
  /** Searches of which only the event (positive) or only the model's record (negative) was seen. */
  #searches: number;
  #compaction: string | undefined;
  readonly #endedChildren: Set<string>;

  constructor(state?: JsonValue) {
    const saved = object(state);
    this.id = string(saved?.["id"]);
    this.failure = string(saved?.["failure"]);
    this.resetAt = string(saved?.["resetAt"]);
    this.#responses = count(saved?.["responses"]) ?? 0;
    this.#numbered = string(saved?.["numbered"]);
    this.#searches = Number(saved?.["searches"] ?? 0);
    this.#compaction = string(saved?.["compaction"]);
    this.#endedChildren = new Set(strings(saved?.["endedChildren"]) ?? []);
  }

  enter(id: string | undefined): void {
    if (id === undefined || id === this.id) return;
    this.id = id;
    this.failure = undefined;
    this.#searches = 0;
  }

  /** Key of a response without an id: its number in its turn. */
  nextResponse(turn: number): string {
    const name = this.id ?? `turn:${turn}`;
    this.#responses = this.#numbered === name ? this.#responses + 1 : 1;
    this.#numbered = name;
    return `${name}/${this.#responses}`;
  }

  /** Whether this web search is new: an event and a record of the model tell of each, in either order. */
  search(from: "event" | "record"): boolean {
    const step = from === "event" ? 1 : -1;
    const fresh = this.#searches * step >= 0;
    this.#searches += step;
    return fresh;
  }

  /** Whether this compaction is new: a line and an event tell of each. */
  compaction(from: "line" | "event"): boolean {
    const repeat = this.#compaction !== undefined && this.#compaction !== from;
    this.#compaction = repeat ? undefined : from;
    return !repeat;
  }

  /** Whether the sub-agent's end is new. */
  childEnded(id: string): boolean {
    if (this.#endedChildren.has(id) || this.#endedChildren.size >= childLimit) return false;
    this.#endedChildren.add(id);
    return true;
  }

  state(): JsonValue {
    return {
      responses: this.#responses,
      searches: this.#searches,
      endedChildren: [...this.#endedChildren],
      ...(this.id === undefined ? {} : { id: this.id }),
      ...(this.failure === undefined ? {} : { failure: this.failure }),
      ...(this.resetAt === undefined ? {} : { resetAt: this.resetAt }),
      ...(this.#numbered === undefined ? {} : { numbered: this.#numbered }),
      ...(this.#compaction === undefined ? {} : { compaction: this.#compaction }),
    };
  }
}
