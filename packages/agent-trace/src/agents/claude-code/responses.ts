import type { TokenCounts } from "../../item.ts";
import type { SessionItems, SourceItems } from "../../items.ts";
import { count, object, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { isSpent, tokensOf } from "./usage.ts";

/** Responses that are remembered, so that a later line of one is told from a new one. */
const openLimit = 64;

/** What a response's usage item said last. */
interface OpenResponse {
  seq: number;
  said: string;
  exact: boolean;
}

/**
 * One response is written as several lines, one per content block, each with the whole response's usage. It counts once,
 * under its message id, and the last line wins. A line without a stop reason may carry the placeholder of the
 * response's start, which says nothing of the output: such a figure is not exact. stdout has nothing else.
 */
export class ResponseBook {
  readonly #items: SourceItems;
  /** By session and response id. */
  readonly #open = new Map<string, OpenResponse>();

  constructor(items: SourceItems, saved: JsonValue | undefined) {
    this.#items = items;
    for (const [response, value] of Object.entries(object(saved) ?? {})) {
      const open = object(value);
      const said = string(open?.["said"]);
      const seq = count(open?.["seq"]);
      if (said !== undefined && seq !== undefined)
        this.#open.set(response, { seq, said, exact: open?.["exact"] === true });
    }
  }

  /** Reads a line's usage and returns the response's key. `final`: the figures are, although no stop reason is written. */
  response(session: SessionItems, record: JsonObject, final: boolean, sink: ReadSink): string | undefined {
    const message = object(record["message"]) ?? {};
    const id = text(message["id"]);
    const tokens = tokensOf(message["usage"]);
    if (id === undefined || tokens === undefined) return id;
    const response = `${id} ${session.id}`;
    const known = this.#open.get(response);
    const exact = final || known?.exact === true || text(message["stop_reason"]) !== undefined;
    const said = JSON.stringify([tokens, exact]);
    if (known?.said === said) return id;
    const seq = known?.seq ?? this.#items.nextSeq();
    this.#remember(response, { seq, said, exact });
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

  #remember(id: string, response: OpenResponse): void {
    this.#open.delete(id);
    this.#open.set(id, response);
    const oldest = this.#open.keys().next().value;
    if (this.#open.size > openLimit && oldest !== undefined) this.#open.delete(oldest);
  }

  state(): JsonValue {
    return Object.fromEntries([...this.#open].map(([id, response]) => [id, { ...response }]));
  }
}
