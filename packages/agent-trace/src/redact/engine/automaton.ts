import { Buffer } from "node:buffer";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * A case-folded Aho-Corasick automaton over bytes. A text is given as the low byte of each UTF-16 unit: what that lets
 * through by mistake is a candidate like any other, and is judged on the text itself.
 */
export interface Automaton {
  /** Character class of each byte. Class 0 is in no keyword. */
  readonly classes: Uint8Array;
  /** Width of a row of `next`, as a power of two. */
  readonly shift: number;
  /** Next state at `state << shift | class`. */
  readonly next: Uint16Array;
  /** States from here on end at least one keyword. */
  readonly accepting: number;
  /** For each accepting state, where its keywords begin in `outputs`; one more entry marks the end of the last. */
  readonly outputStart: Uint16Array;
  /** Indices of keywords. */
  readonly outputs: Uint16Array;
}

interface Trie {
  children: Map<number, number>[];
  ends: number[][];
}

/** Builds the automaton for lower-case ASCII keywords. */
export function buildAutomaton(keywords: readonly string[]): Automaton {
  const classes = classesOf(keywords);
  const shift = Math.max(...classes) < 64 ? 6 : 7;
  const trie = trieOf(keywords, classes);
  const count = trie.children.length;
  const fail = new Int32Array(count);
  const order = breadthFirst(trie, fail);
  const ends = trie.ends;
  for (const state of order) ends[state] = [...(ends[state] ?? []), ...(ends[fail[state] ?? 0] ?? [])];

  // States that end nothing are numbered first, so that one comparison tells a hit.
  const quiet = [0, ...order].filter((state) => (ends[state] ?? []).length === 0);
  const loud = order.filter((state) => (ends[state] ?? []).length > 0);
  const number = new Int32Array(count);
  for (const [index, state] of [...quiet, ...loud].entries()) number[state] = index;

  const next = new Uint16Array(count << shift);
  for (const state of [0, ...order])
    for (let cls = 0; cls < 1 << shift; cls++) {
      const child = trie.children[state]?.get(cls);
      const through = state === 0 ? 0 : (next[((number[fail[state] ?? 0] ?? 0) << shift) | cls] ?? 0);
      next[((number[state] ?? 0) << shift) | cls] = child === undefined ? through : (number[child] ?? 0);
    }
  const outputStart = new Uint16Array(loud.length + 1);
  const outputs: number[] = [];
  for (const [index, state] of loud.entries()) {
    outputStart[index] = outputs.length;
    outputs.push(...(ends[state] ?? []));
  }
  outputStart[loud.length] = outputs.length;
  return { classes, shift, next, accepting: quiet.length, outputStart, outputs: Uint16Array.from(outputs) };
}

function classesOf(keywords: readonly string[]): Uint8Array {
  const chars = [...new Set(keywords.join(""))].sort();
  const classes = new Uint8Array(256);
  for (const [index, char] of chars.entries()) {
    classes[char.charCodeAt(0)] = index + 1;
    classes[char.toUpperCase().charCodeAt(0)] = index + 1;
  }
  return classes;
}

function trieOf(keywords: readonly string[], classes: Uint8Array): Trie {
  const trie: Trie = { children: [new Map()], ends: [[]] };
  for (const [index, keyword] of keywords.entries()) {
    let state = 0;
    for (let i = 0; i < keyword.length; i++) {
      const cls = classes[keyword.charCodeAt(i)] ?? 0;
      let child = trie.children[state]?.get(cls);
      if (child === undefined) {
        child = trie.children.push(new Map()) - 1;
        trie.ends.push([]);
        trie.children[state]?.set(cls, child);
      }
      state = child;
    }
    trie.ends[state]?.push(index);
  }
  return trie;
}

/** All states but the root, nearest first; sets where each falls back to. */
function breadthFirst(trie: Trie, fail: Int32Array): number[] {
  const order: number[] = [];
  const queue = [0];
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] ?? 0;
    for (const [cls, child] of trie.children[state] ?? []) {
      let back = fail[state] ?? 0;
      while (back !== 0 && trie.children[back]?.has(cls) !== true) back = fail[back] ?? 0;
      fail[child] = state === 0 ? 0 : (trie.children[back]?.get(cls) ?? 0);
      order.push(child);
      queue.push(child);
    }
  }
  return order;
}

/** The automaton as one text: deflated, in base64. */
export function packAutomaton(automaton: Automaton): string {
  const { classes, shift, next, accepting, outputStart, outputs } = automaton;
  const head = Uint16Array.of(shift, accepting, next.length >> shift, outputStart.length, outputs.length);
  const parts = [head, next, outputStart, outputs, classes];
  const bytes = Buffer.concat(
    parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)),
  );
  return deflateRawSync(bytes, { level: 9 }).toString("base64");
}

/** What `packAutomaton` made. */
export function unpackAutomaton(packed: string): Automaton {
  const bytes = inflateRawSync(Buffer.from(packed, "base64"));
  // Copied, so that it begins at an even offset.
  const words = new Uint16Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.byteLength & ~1)),
  );
  const [shift = 0, accepting = 0, states = 0, starts = 0, ends = 0] = words;
  const next = words.subarray(5, 5 + (states << shift));
  const outputStart = words.subarray(5 + next.length, 5 + next.length + starts);
  const outputs = words.subarray(5 + next.length + starts, 5 + next.length + starts + ends);
  const classes = Uint8Array.from(bytes.subarray((5 + next.length + starts + ends) * 2));
  return { classes, shift, next, accepting, outputStart, outputs };
}
