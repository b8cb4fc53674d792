import { Buffer } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
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

/** A transcript's reader in the place of `path`; a file beside it is read from the disk. */
const transcriptReaderOf = (agent: Agent, path: string, state?: JsonValue): LineReader => {
  if (agent.transcript?.kind !== "jsonl") throw new Error(`${agent.name} has no transcript of lines`);
  return agent.transcript.reader({
    path,
    home: "/home/dev",
    sibling: (beside) => (existsSync(beside) ? readFileSync(beside, "utf8") : undefined),
    mask: (text) => text,
    ...(state === undefined ? {} : { state }),
  });
};

/** Reads a transcript's lines; `restart` gives the reader's state to a new one after every line. */
export const readTranscript = (
  agent: Agent,
  path: string,
  lines: readonly string[] = readFileSync(path, "utf8").split("\n"),
  restart = false,
): Collected => {
  const collected = collector();
  let reader = transcriptReaderOf(agent, path);
  for (const line of lines) {
    reader.line(line, collected);
    if (restart) reader = transcriptReaderOf(agent, path, roundTrip(reader.state()));
  }
  reader.finish(collected);
  return collected;
};

/** What a store holds in the end: the last revision of each item, in order of first sight. */
export const settled = (items: readonly TraceItem[]): TraceItem[] => {
  const latest = new Map<string, TraceItem>();
  for (const item of items) {
    const identity = JSON.stringify([item.sessionId, item.type, item.key]);
    const known = latest.get(identity);
    if (known === undefined || item.rev > known.rev) latest.set(identity, item);
  }
  return [...latest.values()];
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
