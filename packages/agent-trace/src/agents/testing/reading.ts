import type { TranscriptOptions } from "../../agent.ts";
import type { TraceItem } from "../../item.ts";
import type { JsonValue, LineReader, ReadSink, UnreadLine } from "../../reader.ts";

/** What a reader gave out, in order. */
export interface Reading {
  items: TraceItem[];
  unread: UnreadLine[];
}

export const collect = (): Reading & { sink: ReadSink } => {
  const items: TraceItem[] = [];
  const unread: UnreadLine[] = [];
  const sink: ReadSink = {
    item: (item) => items.push(item),
    live: () => {},
    unread: (line) => unread.push(line),
  };
  return { items, unread, sink };
};

/** Reads a whole text through one reader. */
export const readText = (reader: LineReader, text: string): Reading => {
  const { items, unread, sink } = collect();
  for (const line of linesOf(text)) reader.line(line, sink);
  reader.finish(sink);
  return { items, unread };
};

export const linesOf = (text: string): string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

/** A state as it comes back from a store. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of a JSON value is one again
export const saved = (state: JsonValue): JsonValue => JSON.parse(JSON.stringify(state)) as JsonValue;

/** Reads a text with a fresh reader for every line, each made from the last one's state as JSON. */
export const readResumed = (make: (state: JsonValue | undefined) => LineReader, text: string): Reading => {
  const { items, unread, sink } = collect();
  let state: JsonValue | undefined;
  for (const line of linesOf(text)) {
    const reader = make(state);
    reader.line(line, sink);
    state = saved(reader.state());
  }
  make(state).finish(sink);
  return { items, unread };
};

export const identity = ({ sessionId, type, key }: TraceItem): string => `${sessionId} ${type} ${key}`;

/** What a store would hold in the end: the highest revision of each identity, in order of first sight. */
export const settled = (items: readonly TraceItem[]): TraceItem[] => {
  const latest = new Map<string, TraceItem>();
  for (const item of items) {
    const known = latest.get(identity(item));
    if (known === undefined || item.rev > known.rev) latest.set(identity(item), item);
  }
  return [...latest.values()];
};

/** The settled items of one type. */
export const ofType = <Type extends TraceItem["type"]>(
  items: readonly TraceItem[],
  type: Type,
): Extract<TraceItem, { type: Type }>[] =>
  settled(items).filter((item): item is Extract<TraceItem, { type: Type }> => item.type === type);

/** Options of a transcript that stands alone and needs no masking. */
export const plainOptions = (path: string, state?: JsonValue): TranscriptOptions => ({
  path,
  home: "/home/dev",
  sibling: () => undefined,
  mask: (text) => text,
  ...(state === undefined ? {} : { state }),
});
