import type { Automaton } from "./automaton.ts";
import { findHits, type Hits, newHits } from "./hits.ts";
import { mergeRanges, maskRanges, type Range, unmaskRanges } from "./ranges.ts";
import { MASK, stripWithOffsets } from "../controls.ts";

/** One text while it is looked at. */
export interface Scan {
  readonly text: string;
  /** How far a detector has come, for those that look beyond their keyword. */
  readonly notes: Map<string, number>;
  add(rule: string, start: number, end: number): void;
}

/** Looks for one kind of secret where one of its keywords stands. */
export interface Detector {
  readonly id: string;
  /** What it finds proves itself, so that it applies in places that hold ids. */
  readonly proving: boolean;
  /** Called for each place of one of its keywords, `start` to `end`. Its work must be bounded. */
  detect(scan: Scan, start: number, end: number): void;
}

/** Detectors by keyword, and the automaton over these keywords. */
export interface Index {
  automaton: Automaton;
  /** Length of each keyword. */
  lengths: Uint8Array;
  /** Detectors of each keyword. */
  targets: readonly (readonly Detector[])[];
  /** Looked at once for each text, in places that hold ids as well. */
  everywhere: readonly ((scan: Scan) => void)[];
}

export interface ScanOptions {
  /** Only what proves itself, and known values. */
  idsOnly?: boolean;
}

// Each keyword's detectors are bounded, so that the work is linear; this bounds the factor, too.
const RUNS_FREE = 2000;
const RUNS_A_UNIT = 1;
const ROUNDS = 6;
const EQUAL_LENGTH = 12;
const EQUAL_LONGEST = 512;
const LONG = 64 * 1024;
const NEAR = 2048;

/** Finds secrets. Not re-entrant: a detector does not call the scanner. */
export class Scanner {
  readonly #index: Index;
  readonly #hits: Hits = newHits();
  /** Texts that took more than their budget and were therefore masked whole. */
  overBudget = 0;

  constructor(index: Index) {
    this.#index = index;
  }

  /** What is to be masked, in order, apart. Masking it leaves a text in which nothing more is found. */
  find(text: string, options: ScanOptions = {}): Range[] {
    let ranges = this.#round(text, options);
    if (ranges.length === 0) return ranges;
    for (let round = 1; round < ROUNDS; round++) {
      const more = this.#around(maskRanges(text, ranges), options);
      if (more.length === 0) return ranges;
      ranges = mergeRanges([...ranges, ...unmaskRanges(more, ranges)]);
    }
    return [{ rule: "budget", start: 0, end: text.length }];
  }

  /** A further round; in a long text only near the masks, as nothing changed elsewhere. */
  #around(masked: string, options: ScanOptions): Range[] {
    if (masked.length <= LONG) return this.#round(masked, options);
    const found: Range[] = [];
    for (const [from, to] of partsNearMasks(masked))
      for (const { rule, start, end } of this.#round(masked.slice(from, to), options))
        found.push({ rule, start: start + from, end: end + from });
    return found;
  }

  #round(text: string, options: ScanOptions): Range[] {
    const found = this.#detect(text, options);
    const plain = stripWithOffsets(text);
    if (plain !== undefined)
      for (const { rule, start, end } of this.#detect(plain.text, options))
        found.push({ rule, start: plain.offset(start), end: plain.offset(end - 1) + 1 });
    if (found.length === 0) return found;
    const merged = mergeRanges(found);
    return mergeRanges([...merged, ...equalOccurrences(text, merged)]);
  }

  #detect(text: string, options: ScanOptions): Range[] {
    const found: Range[] = [];
    const scan: Scan = {
      text,
      notes: new Map(),
      add: (rule, start, end) => {
        if (end > start) found.push({ rule, start, end });
      },
    };
    const { automaton, lengths, targets, everywhere } = this.#index;
    const hits = this.#hits;
    findHits(automaton, text, hits);
    if (hits.length === 0 && everywhere.length === 0) return found;
    let runs = RUNS_FREE + text.length * RUNS_A_UNIT;
    for (let i = 0; i < hits.length; i += 2) {
      const keyword = hits.pairs[i] ?? 0;
      const end = hits.pairs[i + 1] ?? 0;
      for (const detector of targets[keyword] ?? []) {
        if (options.idsOnly === true && !detector.proving) continue;
        runs -= 1;
        detector.detect(scan, end - (lengths[keyword] ?? 0), end);
      }
      if (runs < 0) {
        this.overBudget += 1;
        return [{ rule: "budget", start: 0, end: text.length }];
      }
    }
    for (const look of everywhere) look(scan);
    return found;
  }
}

/** Parts of a text that hold its masks and what is around them, apart. */
function partsNearMasks(masked: string): [number, number][] {
  const parts: [number, number][] = [];
  for (let at = masked.indexOf(MASK); at >= 0; at = masked.indexOf(MASK, at + MASK.length)) {
    const from = Math.max(0, masked.lastIndexOf("\n", at - NEAR) + 1, at - 2 * NEAR);
    const to = Math.min(masked.length, at + MASK.length + 2 * NEAR);
    const last = parts.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else parts.push([from, to]);
  }
  return parts;
}

/** A secret that was found once is masked wherever else it stands in the same text. */
function equalOccurrences(text: string, found: readonly Range[]): Range[] {
  const secrets = new Map<string, string>();
  for (const { rule, start, end } of found) {
    const secret = text.slice(start, end);
    if (secret.length >= EQUAL_LENGTH && secret.length <= EQUAL_LONGEST && secrets.size < 64)
      secrets.set(secret, rule);
  }
  const more: Range[] = [];
  for (const [secret, rule] of secrets)
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      more.push({ rule, start: at, end: at + secret.length });
  return more;
}
