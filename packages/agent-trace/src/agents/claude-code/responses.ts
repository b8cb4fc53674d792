import type { TokenCounts } from "../../item.ts";
import type { SessionItems, SourceItems } from "../../items.ts";
import { count, object, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { isSpent, tokensOf } from "./usage.ts";

/** Conversations (main and sub-agents) whose last response is remembered. */
const openLimit = 256;

/** The last response of one conversation: what its usage item said. */
interface OpenResponse {
  id: string;
  seq: number;
  said: string;
}

/**
 * One response is written as several lines, one per content block, each with the whole response's usage. It counts once,
 * under its message id, and the last line wins. On stdout a line without a stop reason carries the placeholder of the
 * response's start, which says nothing of the output: such a figure is not exact.
 */
export class ResponseBook {
  readonly #items: SourceItems;
  /** By session id. */
  readonly #open = new Map<string, OpenResponse>();

  constructor(items: SourceItems, saved: JsonValue | undefined) {
    this.#items = items;
    for (const [session, value] of Object.entries(object(saved) ?? {})) {
      const open = object(value);
      const id = string(open?.["id"]);
      const said = string(open?.["said"]);
      const seq = count(open?.["seq"]);
      if (id !== undefined && said !== undefined && seq !== undefined)
        this.#open.set(session, { id, seq, said });
    }
  }

  /** Reads a line's usage and returns the response's key. */
  response(session: SessionItems, record: JsonObject, sink: ReadSink): string | undefined {
    const message = object(record["message"]) ?? {};
    const id = text(message["id"]);
    const tokens = tokensOf(message["usage"]);
    if (id === undefined || tokens === undefined) return id;
    const known = this.#open.get(session.id);
    const exact = text(message["stop_reason"]) !== undefined;
    const said = JSON.stringify([tokens, exact]);
    if (known?.id === id && known.said === said) return id;
    const seq = known?.id === id ? known.seq : this.#items.nextSeq();
    this.#remember(session.id, { id, seq, said });
    sink.item({
      ...session.head("usage", id, seq, timestamp(record["timestamp"])),
      type: "usage",
      ...tokens,
      ...present({ model: text(message["model"]) }),
      costSource: "unknown",
      exact,
      covers: "response",
    });
    return id;
  }

  /** The turn's true figure, from its result line. */
  turn(
    session: SessionItems,
    turn: number,
    tokens: TokenCounts,
    from: { at?: string; model?: string },
    sink: ReadSink,
  ): void {
    if (!isSpent(tokens)) return;
    sink.item({
      ...session.head("usage", `turn:${turn}`, this.#items.nextSeq(), from.at),
      turn,
      type: "usage",
      ...tokens,
      ...present({ model: from.model }),
      costSource: "unknown",
      exact: true,
      covers: "turn",
    });
  }

  #remember(session: string, response: OpenResponse): void {
    this.#open.delete(session);
    this.#open.set(session, response);
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > openLimit && oldest !== undefined) this.#open.delete(oldest);
  }

  state(): JsonValue {
    return Object.fromEntries([...this.#open].map(([session, response]) => [session, { ...response }]));
  }
}
