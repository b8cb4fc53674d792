import { MASK } from "../controls.ts";

/** A secret in a text, in UTF-16 units. */
export interface Range {
  rule: string;
  start: number;
  end: number;
}

/** In order, joined where they overlap; the rule of the first stays. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const sorted = ranges.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Range[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}

/** The text with each range (in order, apart) replaced by the mask. */
export function maskRanges(text: string, ranges: readonly Range[]): string {
  let out = "";
  let at = 0;
  for (const { start, end } of ranges) {
    out += text.slice(at, start) + MASK;
    at = end;
  }
  return out + text.slice(at);
}

/**
 * Ranges found in the masked text, put back onto the text it was made from. `ranges` are those it was masked with.
 */
export function unmaskRanges(found: readonly Range[], ranges: readonly Range[]): Range[] {
  const back = (at: number, isEnd: boolean): number => {
    let shift = 0;
    for (const { start, end } of ranges) {
      const maskStart = start - shift;
      if (at < maskStart || (isEnd && at === maskStart)) break;
      if (at < maskStart + MASK.length) return isEnd ? end : start;
      shift += end - start - MASK.length;
    }
    return at + shift;
  };
  return found.map(({ rule, start, end }) => ({ rule, start: back(start, false), end: back(end, true) }));
}
