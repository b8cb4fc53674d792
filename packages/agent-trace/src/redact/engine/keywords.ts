import { Buffer } from "node:buffer";

/** A lower-case keyword and the offset of the three characters by which it is looked for. */
export interface Keyword {
  text: string;
  anchor: number;
}

/** What a pass over a text found. */
export interface Hits {
  /** Pairs of keyword index and the offset behind the keyword, in order of their anchors. */
  pairs: Int32Array;
  length: number;
  /** The text holds control characters, which may stand inside a keyword. */
  controls: boolean;
  /** The text, if it is JSON, holds escapes that may stand for a character of a keyword: `\u…`, `\/`, `\b`, `\f`. */
  escapes: boolean;
}

export function newHits(): Hits {
  return { pairs: new Int32Array(256), length: 0, controls: false, escapes: false };
}

const ANCHOR = 3;
/** What is left of each character: without the bit that tells case, and as ASCII. */
const FOLD = 0x5f5f5f5f;
const WINDOW = 0xffffff;
/** All that a character can be folded to. */
const FOLDED = Array.from({ length: 64 }, (_, bits) => (bits & 31) | ((bits & 32) << 1));
/** Spreads windows over the slots; any odd number is right, this one makes few of them meet. */
const SPREAD = 1772930245;
const SLOT_BITS = 16;
const BUCKETS = 255;
const NONE: readonly number[] = [];
const ESCAPES = ["\\u", "\\/", "\\b", "\\f"];

/** Control characters that may stand within a keyword unseen: all but tab, line feed and carriage return. */
const CONTROLS = Uint8Array.from({ length: 256 }, (_, code) =>
  (code < 0x20 && code !== 9 && code !== 10 && code !== 13) || (code >= 0x7f && code < 0xa0) ? 1 : 0,
);

/** In a shorter text units are read one by one; a longer one is copied to bytes first. */
const SHORT = 96;
const BLOCK = 1 << 16;
/** The last word of the block before, a block, and zeros behind it. */
const words = new Int32Array(BLOCK / 4 + 2);
const bytes = Buffer.from(words.buffer);

/**
 * Finds keywords in any case. A window of three characters moves over the text; a table says for each window which
 * keywords have it as their anchor, and these are compared. Anchors are chosen to be rare, so that in most texts nearly
 * nothing is compared. Windows are told by low bytes, and some share a slot; the comparison is on the text itself.
 */
export class KeywordTable {
  readonly #texts: readonly string[];
  /** From the end of its anchor back to the beginning of each keyword. */
  readonly #back: Uint8Array;
  /** The window of each anchor, and what of it counts: before an anchor of two characters anything may stand. */
  readonly #windows: Int32Array;
  readonly #masks: Int32Array;
  /** For each slot 0, or one more than its bucket. */
  readonly #slots = new Uint8Array(1 << SLOT_BITS);
  readonly #buckets: number[][] = [];
  #hits = newHits();

  constructor(keywords: readonly Keyword[]) {
    const all = [...keywords, ...ESCAPES.map((text) => ({ text, anchor: 0 }))];
    this.#texts = all.map(({ text }) => text);
    this.#back = Uint8Array.from(all, ({ text, anchor }) => anchor + Math.min(ANCHOR, text.length));
    const anchors = all.map(({ text, anchor }) => text.slice(anchor, anchor + ANCHOR));
    this.#windows = Int32Array.from(anchors, windowOf);
    this.#masks = Int32Array.from(anchors, ({ length }) => (length < ANCHOR ? WINDOW ^ 0xff : WINDOW));
    const numbers = new Map<string, number>();
    for (const [index, anchor] of anchors.entries()) {
      const number = numbers.get(anchor) ?? numbers.size % BUCKETS;
      numbers.set(anchor, number);
      (this.#buckets[number] ??= []).push(index);
    }
    for (const [anchor, number] of numbers)
      for (const before of anchor.length < ANCHOR ? FOLDED : [0])
        this.#give(slotOf(windowOf(anchor) | before), number);
  }

  /** Looks at the whole text, and overwrites `hits`. */
  find(text: string, hits: Hits): Hits {
    this.#hits = hits;
    hits.length = 0;
    hits.controls = false;
    hits.escapes = false;
    if (text.length < SHORT) this.#units(text);
    else {
      let carried = 0;
      for (let from = 0; from < text.length; from += BLOCK) {
        words[0] = carried;
        const block = text.length <= BLOCK ? text : text.slice(from, from + BLOCK);
        // Writes the low byte of each unit, so that offsets in bytes are offsets in the text.
        const size = bytes.write(block, 4, BLOCK, "latin1");
        for (let at = size; (at & 3) !== 0; at++) bytes[4 + at] = 0x20;
        carried = this.#words(text, from, (size + 3) >> 2);
      }
    }
    return hits;
  }

  #units(text: string): void {
    let window = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      window = (window >>> 8) | ((code & 0x5f) << 16);
      const slot = this.#slots[slotOf(window)] ?? 0;
      if (slot !== 0) this.#compare(text, i + 1, window, slot);
      if (CONTROLS[code] === 1) this.#hits.controls = true;
    }
  }

  /** Looks at four windows at a time: those that end in the word. Returns the last word. */
  #words(text: string, from: number, count: number): number {
    const slots = this.#slots;
    let before = (words[0] ?? 0) & FOLD;
    for (let i = 1; i <= count; i++) {
      const word = words[i] ?? 0;
      const folded = word & FOLD;
      const first = ((before >>> 16) | (folded << 16)) & WINDOW;
      const second = ((before >>> 24) | (folded << 8)) & WINDOW;
      const a = slots[slotOf(first)] ?? 0;
      const b = slots[slotOf(second)] ?? 0;
      const c = slots[slotOf(folded & WINDOW)] ?? 0;
      const d = slots[slotOf(folded >>> 8)] ?? 0;
      before = folded;
      if ((a | b | c | d) !== 0) {
        const end = from + i * 4 - 3;
        if (a !== 0) this.#compare(text, end, first, a);
        if (b !== 0) this.#compare(text, end + 1, second, b);
        if (c !== 0) this.#compare(text, end + 2, folded & WINDOW, c);
        if (d !== 0) this.#compare(text, end + 3, folded >>> 8, d);
      }
      // A byte under 0x20 or over 0x7e; most of these are line ends.
      if ((((word - 0x20202020) | word | (word + 0x01010101)) & 0x80808080) !== 0)
        this.#controls(text, from + i * 4 - 4, word);
    }
    return words[count] ?? 0;
  }

  #controls(text: string, from: number, word: number): void {
    for (let at = 0; at < 4; at++)
      if (CONTROLS[(word >>> (8 * at)) & 0xff] === 1 && CONTROLS[text.charCodeAt(from + at)] === 1)
        this.#hits.controls = true;
  }

  #compare(text: string, end: number, window: number, slot: number): void {
    const bucket = this.#buckets[slot - 1] ?? NONE;
    for (let i = 0; i < bucket.length; i++) {
      const index = bucket[i] ?? 0;
      if ((window & (this.#masks[index] ?? 0)) !== this.#windows[index]) continue;
      const keyword = this.#texts[index] ?? "";
      const start = end - (this.#back[index] ?? 0);
      if (!isAt(text, start, keyword)) continue;
      if (index < this.#texts.length - ESCAPES.length) this.#push(index, start + keyword.length);
      else this.#hits.escapes = true;
    }
  }

  #push(keyword: number, end: number): void {
    const hits = this.#hits;
    if (hits.length + 2 > hits.pairs.length) {
      const grown = new Int32Array(hits.pairs.length * 2);
      grown.set(hits.pairs);
      hits.pairs = grown;
    }
    hits.pairs[hits.length++] = keyword;
    hits.pairs[hits.length++] = end;
  }

  /** A slot that has a bucket already goes to this one, with what was in the other. */
  #give(slot: number, number: number): void {
    const taken = (this.#slots[slot] ?? 0) - 1;
    this.#slots[slot] = number + 1;
    if (taken < 0 || taken === number) return;
    const bucket = (this.#buckets[number] ??= []);
    for (const index of this.#buckets[taken] ?? NONE) if (!bucket.includes(index)) bucket.push(index);
  }
}

function slotOf(window: number): number {
  return Math.imul(window, SPREAD) >>> (32 - SLOT_BITS);
}

/** The window that ends with an anchor. */
function windowOf(anchor: string): number {
  return Array.from(anchor).reduce((window, char) => (window >>> 8) | ((char.charCodeAt(0) & 0x5f) << 16), 0);
}

/** Whether the lower-case keyword stands at this place, in any case. */
function isAt(text: string, start: number, keyword: string): boolean {
  if (start < 0) return false;
  for (let i = 0; i < keyword.length; i++) {
    const code = text.charCodeAt(start + i);
    const lower = code >= 65 && code <= 90 ? code | 32 : code;
    if (lower !== keyword.charCodeAt(i)) return false;
  }
  return true;
}
