import { Buffer } from "node:buffer";
import type { Automaton } from "./automaton.ts";

const BLOCK = 1 << 16;
const bytes = Buffer.allocUnsafeSlow(BLOCK);

/** Where keywords end in a text: pairs of keyword index and end offset, in order of end. */
export interface Hits {
  pairs: Int32Array;
  length: number;
}

export function newHits(): Hits {
  return { pairs: new Int32Array(256), length: 0 };
}

function push(hits: Hits, keyword: number, end: number): void {
  if (hits.length + 2 > hits.pairs.length) {
    const grown = new Int32Array(hits.pairs.length * 2);
    grown.set(hits.pairs);
    hits.pairs = grown;
  }
  hits.pairs[hits.length++] = keyword;
  hits.pairs[hits.length++] = end;
}

/** Finds all keywords of the automaton in the text. `hits` is overwritten. */
export function findHits(automaton: Automaton, text: string, hits: Hits): void {
  hits.length = 0;
  const { classes, shift, next, accepting, outputStart, outputs } = automaton;
  let state = 0;
  for (let from = 0; from < text.length; from += BLOCK) {
    const block = text.length <= BLOCK ? text : text.slice(from, from + BLOCK);
    // Writes the low byte of each unit, so that offsets in bytes are offsets in the text.
    const size = bytes.write(block, 0, BLOCK, "latin1");
    for (let i = 0; i < size; i++) {
      state = next[(state << shift) | (classes[bytes[i] ?? 0] ?? 0)] ?? 0;
      if (state < accepting) continue;
      const row = state - accepting;
      const last = outputStart[row + 1] ?? 0;
      for (let j = outputStart[row] ?? 0; j < last; j++) push(hits, outputs[j] ?? 0, from + i + 1);
    }
  }
}
