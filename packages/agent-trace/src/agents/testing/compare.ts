import type { TraceItem, TraceItemType } from "../../item.ts";
import { settled } from "./reading.ts";

/** What two sources of one session say differently, by item type. */
export interface SourceDifferences {
  /** Fields that only one source carries, of items that both have. */
  onlyStream: string[];
  onlyTranscript: string[];
  /** Fields that both carry and that are not equal. */
  differing: string[];
  /** Items that only one source has: kinds for marks, tools for calls. */
  itemsOnlyStream: string[];
  itemsOnlyTranscript: string[];
}

export type Pairing = "key" | "order";

/** Fields that say how an item was read, not what it is. */
const bookkeeping = new Set(["v", "rev", "seq", "type", "sessionId"]);

const types: readonly TraceItemType[] = ["session", "tool_call", "usage", "mark", "result"];

/** Adds what the two readings of one session say differently to the differences so far. */
export const compareSources = (
  found: Record<string, SourceDifferences>,
  stream: readonly TraceItem[],
  transcript: readonly TraceItem[],
  pairing: Pairing,
): void => {
  const ids = new Set(stream.map((item) => item.sessionId));
  const here = settled(stream);
  const there = settled(transcript).filter((item) => ids.has(item.sessionId));
  for (const type of types) {
    const differences = (found[type] ??= {
      onlyStream: [],
      onlyTranscript: [],
      differing: [],
      itemsOnlyStream: [],
      itemsOnlyTranscript: [],
    });
    const left = here.filter((item) => item.type === type).toSorted((a, b) => a.seq - b.seq);
    const right = there.filter((item) => item.type === type).toSorted((a, b) => a.seq - b.seq);
    for (const [index, item] of left.entries()) {
      const other = pairing === "order" ? nth(left, right, index) : right.find(({ key }) => key === item.key);
      if (other === undefined) add(differences.itemsOnlyStream, label(item));
      else compareItems(differences, item, other, pairing);
    }
    for (const [index, item] of right.entries()) {
      const other = pairing === "order" ? nth(right, left, index) : left.find(({ key }) => key === item.key);
      if (other === undefined) add(differences.itemsOnlyTranscript, label(item));
    }
  }
};

/** The item of the other source that stands at the same place among those of its label's family. */
const nth = (
  own: readonly TraceItem[],
  others: readonly TraceItem[],
  index: number,
): TraceItem | undefined => {
  const item = own[index];
  if (item === undefined) return undefined;
  const place = own.slice(0, index).filter((each) => family(each) === family(item)).length;
  return others.filter((each) => family(each) === family(item))[place];
};

const family = (item: TraceItem): string => (item.type === "mark" ? item.kind : item.type);

const label = (item: TraceItem): string =>
  item.type === "mark" ? item.kind : item.type === "tool_call" ? item.tool : item.type;

const compareItems = (
  differences: SourceDifferences,
  left: TraceItem,
  right: TraceItem,
  pairing: Pairing,
): void => {
  // Both are plain records of JSON values.
  const a: Record<string, unknown> = { ...left };
  const b: Record<string, unknown> = { ...right };
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (bookkeeping.has(name) || (name === "key" && pairing === "order")) continue;
    if (b[name] === undefined) add(differences.onlyStream, name);
    else if (a[name] === undefined) add(differences.onlyTranscript, name);
    else if (JSON.stringify(a[name]) !== JSON.stringify(b[name])) add(differences.differing, name);
  }
};

const add = (list: string[], name: string): void => {
  if (list.includes(name)) return;
  list.push(name);
  list.sort();
};
