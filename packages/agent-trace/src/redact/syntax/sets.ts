import type { CodePoints } from "./node.ts";

const LAST = 0x10ffff;

/** Sorts and joins pairs that touch or overlap. */
export function normalise(pairs: readonly number[]): CodePoints {
  const ranges: [number, number][] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2) ranges.push([pairs[i] ?? 0, pairs[i + 1] ?? 0]);
  ranges.sort((a, b) => a[0] - b[0]);
  const joined: [number, number][] = [];
  for (const [from, to] of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined.flat();
}

export function complement(points: CodePoints): CodePoints {
  const out: number[] = [];
  let next = 0;
  for (let i = 0; i < points.length; i += 2) {
    const from = points[i] ?? 0;
    if (from > next) out.push(next, from - 1);
    next = (points[i + 1] ?? 0) + 1;
  }
  if (next <= LAST) out.push(next, LAST);
  return out;
}

export function contains(points: CodePoints, point: number): boolean {
  for (let i = 0; i < points.length; i += 2)
    if (point >= (points[i] ?? 0) && point <= (points[i + 1] ?? 0)) return true;
  return false;
}

export function intersects(a: CodePoints, b: CodePoints): boolean {
  for (let i = 0; i < a.length; i += 2)
    for (let j = 0; j < b.length; j += 2)
      if ((a[i] ?? 0) <= (b[j + 1] ?? 0) && (b[j] ?? 0) <= (a[i + 1] ?? 0)) return true;
  return false;
}

// Beyond this size a range holds whole scripts; what it lacks of its other case is not worth walking it.
const FOLDED_RANGE = 4096;

/** The set with the other case of each letter. As in RE2, `k` folds with the Kelvin sign and `s` with the long s. */
export function foldCase(points: CodePoints): CodePoints {
  const out: number[] = [...points];
  for (let i = 0; i < points.length; i += 2) {
    const from = points[i] ?? 0;
    const to = Math.min(points[i + 1] ?? 0, from + FOLDED_RANGE);
    for (let point = from; point <= to; point++)
      for (const other of otherCases(point)) out.push(other, other);
  }
  return normalise(out);
}

function otherCases(point: number): number[] {
  if (point === 0x6b || point === 0x4b || point === 0x212a) return [0x6b, 0x4b, 0x212a];
  if (point === 0x73 || point === 0x53 || point === 0x17f) return [0x73, 0x53, 0x17f];
  const char = String.fromCodePoint(point);
  return [char.toLowerCase(), char.toUpperCase()]
    .filter((other) => other !== char && Array.from(other).length === 1)
    .map((other) => other.codePointAt(0) ?? point);
}
