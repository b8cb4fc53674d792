import { object, text, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";

/** Lines of inline sub-agents that are remembered; a line hangs on one that came shortly before it. */
const lineLimit = 500;

/**
 * The inline sub-agents of 1.x: their lines stand among the parent's, and only the chain of `parentUuid` tells which
 * lines are one agent's. The first line's uuid serves as the agent's id.
 */
export class Sidechains {
  /** A line's uuid → the uuid that its chain began with. */
  readonly #chains: Map<string, string>;

  constructor(saved: JsonValue | undefined) {
    this.#chains = new Map(
      Object.entries(object(saved) ?? {}).flatMap(([uuid, root]): [string, string][] =>
        typeof root === "string" ? [[uuid, root]] : [],
      ),
    );
  }

  /** The id of the sub-agent that a side line belongs to. */
  of(record: JsonObject): string | undefined {
    const uuid = text(record["uuid"]);
    const parent = text(record["parentUuid"]);
    const root = (parent === undefined ? undefined : this.#chains.get(parent)) ?? uuid;
    if (uuid === undefined || root === undefined) return root;
    this.#chains.set(uuid, root);
    const oldest = this.#chains.keys().next().value;
    if (this.#chains.size > lineLimit && oldest !== undefined) this.#chains.delete(oldest);
    return root;
  }

  state(): JsonValue {
    return Object.fromEntries(this.#chains);
  }
}
