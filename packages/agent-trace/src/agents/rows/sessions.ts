import type { AgentName, SessionItem } from "../../item.ts";
import { number, object, string, type JsonObject } from "../../jsonline.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";

/** Most sessions whose last item is remembered; one beyond them is given out again with a higher revision. */
const sessionLimit = 500;

export type SessionRowFacts = Omit<SessionItem, "v" | "key" | "rev" | "type" | "agent">;

/** Gives out each session of a database once for each state of it. */
export class SessionRows {
  readonly #agent: AgentName;
  readonly #given: Map<string, { rev: number; text: string }>;

  constructor(agent: AgentName, state?: JsonValue) {
    this.#agent = agent;
    this.#given = new Map(
      Object.entries(object(state) ?? {}).map(([id, saved]) => {
        const entry = object(saved);
        return [id, { rev: number(entry?.["rev"]) ?? 0, text: string(entry?.["text"]) ?? "" }];
      }),
    );
  }

  /** `age`: the time of the session's last change after its beginning; keeps revisions rising past the memory's end. */
  give(facts: SessionRowFacts, age: number, sink: ReadSink): void {
    const { sessionId } = facts;
    const text = JSON.stringify(facts);
    const known = this.#given.get(sessionId);
    if (known?.text === text) return;
    const rev = Math.max((known?.rev ?? -1) + 1, Math.trunc(age), 0);
    this.#given.delete(sessionId);
    this.#given.set(sessionId, { rev, text });
    for (const id of this.#given.keys()) {
      if (this.#given.size <= sessionLimit) break;
      this.#given.delete(id);
    }
    sink.item({ v: 1, key: "-", rev, type: "session", agent: this.#agent, ...facts });
  }

  state(): JsonObject {
    return Object.fromEntries([...this.#given].map(([id, { rev, text }]) => [id, { rev, text }]));
  }
}
