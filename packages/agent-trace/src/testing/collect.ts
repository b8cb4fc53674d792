import { Buffer } from "node:buffer";
import type { Agent } from "../agent.ts";
import type { LiveItem, TraceItem } from "../item.ts";
import { createNormalizer, type NormalizerOptions } from "../normalize.ts";
import type { JsonValue, LineReader, ReadSink, UnreadLine } from "../reader.ts";

/** Everything a source gave. */
export interface Collected extends ReadSink {
  items: TraceItem[];
  lives: LiveItem[];
  unreads: UnreadLine[];
}

export const collector = (): Collected => {
  const collected: Collected = {
    items: [],
    lives: [],
    unreads: [],
    item: (item) => collected.items.push(item),
    live: (item) => collected.lives.push(item),
    unread: (line) => collected.unreads.push(line),
  };
  return collected;
};

/** Normalizes a whole stream given as text. */
export const normalizeText = (text: string, options: NormalizerOptions = { agent: "auto" }): Collected => {
  const collected = collector();
  const normalizer = createNormalizer(options);
  normalizer.push(Buffer.from(text), collected);
  normalizer.end(collected);
  return collected;
};

/** Reads lines with an agent's stream reader; `restart` gives its state to a new reader after every line. */
export const readLines = (agent: Agent, lines: readonly string[], restart = false): Collected => {
  const collected = collector();
  const open = (state?: JsonValue): LineReader => {
    if (agent.stream === undefined) throw new Error(`${agent.name} has no stream`);
    return agent.stream.reader(state === undefined ? {} : { state });
  };
  let reader = open();
  for (const line of lines) {
    reader.line(line, collected);
    if (restart) reader = open(roundTrip(reader.state()));
  }
  reader.finish(collected);
  return collected;
};

/** A state as it comes back from a store. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of a JSON value is one again
const roundTrip = (state: JsonValue): JsonValue => JSON.parse(JSON.stringify(state)) as JsonValue;

/** Items by type, for tests that look at one kind. */
export const ofType = <Type extends TraceItem["type"]>(
  items: readonly TraceItem[],
  type: Type,
): Extract<TraceItem, { type: Type }>[] =>
  items.filter((item): item is Extract<TraceItem, { type: Type }> => item.type === type);
