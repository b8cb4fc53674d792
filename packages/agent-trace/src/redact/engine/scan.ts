import { type Hits, KeywordTable, newHits } from "./keywords.ts";
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
  /**
   * A cheap look ahead, for what needs one: false when nothing can be found at this place of a keyword. It holds for the
   * text of a JSON string as it is written, too, so that most need not be decoded: a backslash may begin any character.
   */
  may?(text: string, start: number, end: number): boolean;
  /** Called for each place of one of its keywords, `start` to `end`. Its work must be bounded. */
  detect(scan: Scan, start: number, end: number): void;
}

/** Detectors that come to the built-in ones: known values and rule files. */
export interface Additions {
  called: readonly { detector: Detector; keywords: readonly string[] }[];
  everywhere: readonly ((scan: Scan) => void)[];
}

/** Detectors by keyword, and the table that finds these keywords. */
export interface Index {
  table: KeywordTable;
  /** Length of each keyword. */
  lengths: Uint8Array;
  /** The keyword with which a private key begins. */
  keyBegins: number;
  /** Detectors of each keyword. */
  targets: readonly (readonly Detector[])[];
  /** Looked at once for each text, in places that hold ids as well. */
  everywhere: readonly ((scan: Scan) => void)[];
}

/** Pairs as in `Hits`. */
export interface KnownHits {
  readonly pairs: ArrayLike<number>;
  readonly length: number;
}

export interface ScanOptions {
  /** Where keywords stand, if that is known: pairs as in `Hits`. */
  hits?: KnownHits;
  /** Only what proves itself, and known values. */
  idsOnly?: boolean;
}

// Each keyword's detectors are bounded, so that the work is linear; this bounds the factor, too.
const RUNS_FREE = 2000;
const RUNS_A_UNIT = 1;
const ROUNDS = 6;
const EQUAL_LENGTH = 12;
const EQUAL_LONGEST = 512;
/** So many secrets are looked for one by one. */
const FEW = 8;
const LONG = 64 * 1024;
const NEAR = 2048;

/** Finds secrets. Not re-entrant: a detector does not call the scanner. */
export class Scanner {
  readonly #index: Index;
  readonly #hits = newHits();
  readonly #lineHits = newHits();
  #line: string | undefined;
  /** Texts that took more than their budget and were therefore masked whole. */
  overBudget = 0;

  constructor(index: Index) {
    this.#index = index;
  }

  /** What is to be masked, in order, apart. Masking it leaves a text in which nothing more is found. */
  find(text: string, options: ScanOptions = {}): Range[] {
    let ranges = this.#round(text, options);
    if (ranges.length === 0) return ranges;
    const { hits: _, ...further } = options;
    for (let round = 1; round < ROUNDS; round++) {
      const more = this.#around(maskRanges(text, ranges), further);
      if (more.length === 0) return ranges;
      ranges = mergeRanges([...ranges, ...unmaskRanges(more, ranges)]);
    }
    return [{ rule: "budget", start: 0, end: text.length }];
  }

  /**
   * Where in a line of JSON something may be found at all: the keywords of its text, as it is written; `undefined` when
   * every string has to be looked at. Valid until the next call.
   */
  keywords(line: string): Hits | undefined {
    const hits = this.#hitsOf(line);
    return hits.controls || this.#index.everywhere.length > 0 ? undefined : hits;
  }

  /** Whether a private key may begin in the line, perhaps written with escapes or control characters. */
  mayOpenKey(line: string): boolean {
    const hits = this.#hitsOf(line);
    if (hits.controls || hits.escapes) return true;
    for (let i = 0; i < hits.length; i += 2) if (hits.pairs[i] === this.#index.keyBegins) return true;
    return false;
  }

  /** Questions about one line come one after the other; it is looked at once. */
  #hitsOf(line: string): Hits {
    if (line !== this.#line) this.#index.table.find(line, this.#lineHits);
    this.#line = line;
    return this.#lineHits;
  }

  /** Whether something may be found at this keyword of a JSON string as it is written. */
  may(text: string, keyword: number, end: number): boolean {
    const start = end - (this.#index.lengths[keyword] ?? 0);
    for (const detector of this.#index.targets[keyword] ?? [])
      if (detector.may?.(text, start, end) !== false) return true;
    return false;
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
    const hits =
      options.hits ?? (text === this.#line ? this.#lineHits : this.#index.table.find(text, this.#hits));
    const plain = "controls" in hits && hits.controls ? stripWithOffsets(text) : undefined;
    let found = this.#detect(text, hits, options);
    if (plain !== undefined) {
      const more = this.#detect(plain.text, this.#index.table.find(plain.text, this.#hits), options);
      found = found.concat(
        more.map(({ rule, start, end }) => ({
          rule,
          start: plain.offset(start),
          end: plain.offset(end - 1) + 1,
        })),
      );
    }
    if (found.length === 0) return found;
    const merged = mergeRanges(found);
    return mergeRanges([...merged, ...equalOccurrences(text, merged)]);
  }

  #detect(text: string, hits: KnownHits, options: ScanOptions): Range[] {
    const { lengths, targets, everywhere } = this.#index;
    if (hits.length === 0 && everywhere.length === 0) return [];
    const found: Range[] = [];
    const scan: Scan = {
      text,
      notes: new Map(),
      add: (rule, start, end) => {
        if (end > start) found.push({ rule, start, end });
      },
    };
    let runs = RUNS_FREE + text.length * RUNS_A_UNIT;
    for (let i = 0; i < hits.length; i += 2) {
      const keyword = hits.pairs[i] ?? 0;
      const end = hits.pairs[i + 1] ?? 0;
      for (const detector of targets[keyword] ?? []) {
        if (options.idsOnly === true && !detector.proving) continue;
        runs -= 1;
        const start = end - (lengths[keyword] ?? 0);
        if (detector.may?.(text, start, end) !== false) detector.detect(scan, start, end);
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
    const floor = Math.max(0, at - 2 * NEAR);
    const from = floor + masked.slice(floor, Math.max(0, at - NEAR)).lastIndexOf("\n") + 1;
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
  for (const { rule, start, end } of found)
    if (end - start >= EQUAL_LENGTH && end - start <= EQUAL_LONGEST)
      secrets.set(text.slice(start, end), rule);
  const many = secrets.size > FEW ? startsOf([...secrets.keys()], text) : undefined;
  const more: Range[] = [];
  for (const [secret, rule] of secrets)
    for (const start of many?.get(secret) ?? occurrences(text, secret))
      more.push({ rule, start, end: start + secret.length });
  return more;
}

function occurrences(text: string, secret: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) starts.push(at);
  return starts;
}

/** Where each of many secrets stands, in one pass over the text; those that are no plain ASCII are left out. */
function startsOf(secrets: readonly string[], text: string): Map<string, number[]> {
  const plain = secrets.filter((secret) => !/[^ -~]/u.test(secret));
  const heads = plain.map((secret) => secret.slice(0, EQUAL_LENGTH).toLowerCase());
  const { pairs, length } = new KeywordTable(heads.map((head) => ({ text: head, anchor: 0 }))).find(
    text,
    newHits(),
  );
  const starts = new Map<string, number[]>(plain.map((secret) => [secret, []]));
  for (let i = 0; i < length; i += 2) {
    const secret = plain[pairs[i] ?? 0] ?? "";
    const start = (pairs[i + 1] ?? 0) - EQUAL_LENGTH;
    if (text.startsWith(secret, start)) starts.get(secret)?.push(start);
  }
  return starts;
}
