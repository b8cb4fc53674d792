import { isSecretKey } from "../context/names.ts";
import { MASK } from "../controls.ts";
import { maskRanges, mergeRanges } from "../engine/ranges.ts";
import type { Hits } from "../engine/keywords.ts";
import { NamedValue } from "./named.ts";
import type { KnownHits, Scanner } from "../engine/scan.ts";
import {
  decodeLiteral,
  eachLiteral,
  isIdPath,
  type Literal,
  meantOffsets,
  pathOf,
  writtenOffsets,
} from "./literals.ts";

export interface JsonMasking {
  scanner: Scanner;
  /** Key paths that hold ids, split at their dots. */
  idPaths: readonly (readonly string[])[];
  /** Keys that were met before, as they are written. */
  keys: Map<string, Key>;
}

const BOM = "\ufeff";
const ROUNDS = 4;
const EQUAL_LENGTH = 12;
const SHORTEST = 4;
/** A longer line is mostly one string, and is not looked at twice. */
const LONG = 64 * 1024;

/** Masks one line of JSON inside its strings. What is not JSON is masked as text. */
export function maskJsonLine(line: string, masking: JsonMasking): string {
  if (line.startsWith(BOM)) return BOM + maskJsonLine(line.slice(BOM.length), masking);
  let masked = line;
  for (let round = 0; round < ROUNDS; round++) {
    const hits = masked.length > LONG ? undefined : masking.scanner.keywords(masked);
    if (hits !== undefined && hits.length === 0 && !hits.escapes) return masked;
    const pass = new Pass(masked, masking);
    const next = pass.run(hits);
    if (next === undefined) return asText(line, masking.scanner);
    if (!pass.again) return next;
    masked = next;
  }
  return JSON.stringify(MASK);
}

function asText(line: string, scanner: Scanner): string {
  const ranges = scanner.find(line);
  return ranges.length === 0 ? line : maskRanges(line, ranges);
}

/** What is known of a key. */
interface Key {
  /** It names a secret. */
  secret: boolean;
  /** It holds none itself. */
  clean: boolean;
}

const NO_HITS: KnownHits = { pairs: [], length: 0 };
const CLEAN: Key = { secret: false, clean: true };
const KEYS_KEPT = 4096;
const KEY_LONGEST = 64;

/** A string in which something may be found. */
interface Suspect extends Literal {
  /** It is the value of a key that names a secret. */
  named: boolean;
  /** Where keywords stand that lead to something, as pairs of keyword and offset in the line; left out: not known. */
  hits?: number[];
}

/** One pass over the strings of a line. */
class Pass {
  readonly #line: string;
  readonly #masking: JsonMasking;
  readonly #secrets = new Set<string>();
  #out = "";
  #copied = 0;
  #broken = false;
  /** A text that was looked at has changed since, so that another pass is needed. */
  again = false;

  constructor(line: string, masking: JsonMasking) {
    this.#line = line;
    this.#masking = masking;
  }

  /** The masked line, the line itself when it is clean, `undefined` when it is no JSON. */
  run(hits: Hits | undefined): string | undefined {
    const suspects = this.#suspects(hits);
    if (suspects === undefined || !/[{["]/u.test(this.#line)) return undefined;
    for (const suspect of suspects) this.#look(suspect);
    if (this.#broken) return undefined;
    if (this.#copied === 0) return this.#line;
    const masked = this.#out + this.#line.slice(this.#copied);
    const equal = maskEqual(masked, this.#secrets, this.#masking);
    this.again = equal !== masked;
    return equal;
  }

  /** The strings that hold a keyword or may hide one, and those behind the name of a secret; all without `hits`. */
  #suspects(hits: Hits | undefined): Suspect[] | undefined {
    const suspects: Suspect[] = [];
    const { pairs, length }: KnownHits = hits ?? NO_HITS;
    let next = 0;
    const value = new NamedValue(this.#line);
    const isWhole = eachLiteral(this.#line, (literal) => {
      let here: number[] | undefined;
      // A keyword holds no quote, so that it stands within one string.
      for (; next < length; next += 2) {
        const keyword = pairs[next] ?? 0;
        const end = pairs[next + 1] ?? 0;
        if (end > literal.end) break;
        if (end > literal.start && (literal.isKey || this.#may(keyword, end)))
          (here ??= []).push(keyword, end);
      }
      const unknown = hits === undefined || (hits.escapes && literal.escaped);
      const suspect = unknown || here !== undefined;
      if (literal.isKey) {
        const known = suspect ? this.#key(literal) : CLEAN;
        if (known.secret) value.begin(literal.end);
        else value.end();
        if (!known.clean) suspects.push({ ...literal, named: false });
        return;
      }
      const named = value.holds(literal.start, literal.end);
      if (named || unknown) suspects.push({ ...literal, named });
      else if (here !== undefined) suspects.push({ ...literal, named, hits: here });
    });
    return isWhole ? suspects : undefined;
  }

  #may(keyword: number, end: number): boolean {
    return this.#masking.scanner.may(this.#line, keyword, end);
  }

  #key(literal: Literal): Key {
    const { keys, scanner } = this.#masking;
    const raw = this.#line.slice(literal.start, literal.end);
    const before = keys.get(raw);
    if (before !== undefined) return before;
    const text = decodeLiteral(this.#line, literal);
    if (text === undefined) return { secret: false, clean: false };
    const key = { secret: isSecretKey(text), clean: scanner.find(text).length === 0 };
    // What holds a secret is not kept.
    if (key.clean && raw.length <= KEY_LONGEST && keys.size < KEYS_KEPT) keys.set(raw, key);
    return key;
  }

  #look(literal: Suspect): void {
    const text = decodeLiteral(this.#line, literal);
    if (text === undefined) this.#broken = true;
    else if (literal.named && !this.#isId(literal)) {
      if (text === "" || text === MASK) return;
      if (text.length >= EQUAL_LENGTH) this.#secrets.add(text);
      this.#replace(literal.start, literal.end);
    } else this.#mask(literal, text);
  }

  #mask(literal: Suspect, text: string): void {
    if (literal.end - literal.start < SHORTEST) return;
    const { scanner } = this.#masking;
    let ranges = scanner.find(
      text,
      literal.hits === undefined ? {} : { hits: this.#meant(literal, literal.hits) },
    );
    if (ranges.length > 0 && !literal.isKey && this.#isId(literal))
      ranges = scanner.find(text, { idsOnly: true });
    if (ranges.length === 0) return;
    for (const { start, end } of ranges)
      if (end - start >= EQUAL_LENGTH) this.#secrets.add(text.slice(start, end));
    const ends = ranges.flatMap(({ start, end }) => [start, end]);
    const written = literal.escaped
      ? writtenOffsets(this.#line.slice(literal.start, literal.end), ends)
      : ends;
    for (let i = 0; i < written.length; i += 2)
      this.#replace(literal.start + (written[i] ?? 0), literal.start + (written[i + 1] ?? 0));
  }

  /** The keywords of a literal at their places in what it stands for. */
  #meant(literal: Literal, hits: readonly number[]): KnownHits {
    if (!literal.escaped)
      return { pairs: hits.map((at, i) => (i % 2 === 0 ? at : at - literal.start)), length: hits.length };
    const pairs = hits.slice();
    const content = this.#line.slice(literal.start, literal.end);
    const meant = meantOffsets(
      content,
      hits.filter((_, i) => i % 2 === 1).map((end) => end - literal.start),
    );
    for (const [i, end] of meant.entries()) pairs[2 * i + 1] = end;
    return { pairs, length: pairs.length };
  }

  #replace(start: number, end: number): void {
    this.#out += this.#line.slice(this.#copied, start) + MASK;
    this.#copied = end;
  }

  #isId(literal: Literal): boolean {
    const { idPaths } = this.#masking;
    return idPaths.length > 0 && isIdPath(pathOf(this.#line, literal), idPaths);
  }
}

/** Masks what was found once wherever else in the record it stands, however it is written there, ids excepted. */
function maskEqual(line: string, secrets: ReadonlySet<string>, masking: JsonMasking): string {
  let out = "";
  let copied = 0;
  const isId = (literal: Literal): boolean =>
    !literal.isKey && masking.idPaths.length > 0 && isIdPath(pathOf(line, literal), masking.idPaths);
  if (secrets.size > 0)
    eachLiteral(line, (literal) => {
      if (literal.end - literal.start < EQUAL_LENGTH) return;
      const text = decodeLiteral(line, literal);
      const ends = text === undefined ? [] : placesOf(text, secrets);
      if (ends.length === 0 || isId(literal)) return;
      const content = line.slice(literal.start, literal.end);
      const written = literal.escaped ? writtenOffsets(content, ends) : ends;
      for (let i = 0; i < written.length; i += 2) {
        out += line.slice(copied, literal.start + (written[i] ?? 0)) + MASK;
        copied = literal.start + (written[i + 1] ?? 0);
      }
    });
  return out + line.slice(copied);
}

/** Where secrets stand in a text: beginnings and ends in order, apart. */
function placesOf(text: string, secrets: ReadonlySet<string>): number[] {
  const found: { rule: string; start: number; end: number }[] = [];
  for (const secret of secrets)
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      found.push({ rule: "", start: at, end: at + secret.length });
  return found.length === 0 ? [] : mergeRanges(found).flatMap(({ start, end }) => [start, end]);
}
