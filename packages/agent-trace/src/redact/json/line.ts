import { isSecretKey } from "../context/names.ts";
import { MASK } from "../controls.ts";
import { maskRanges } from "../engine/ranges.ts";
import type { Scanner } from "../engine/scan.ts";
import { belongsTo, decodeLiteral, eachLiteral, isIdPath, type Literal, pathOf } from "./literals.ts";

export interface JsonMasking {
  scanner: Scanner;
  /** Key paths that hold ids, split at their dots. */
  idPaths: readonly (readonly string[])[];
  /** What is known of keys seen before: `true` for names of secrets, `false` for others. Clean keys only. */
  keys: Map<string, boolean>;
}

const ROUNDS = 4;
const EQUAL_LENGTH = 12;
const KEYS_KEPT = 4096;
const KEY_KEPT_LENGTH = 64;

/** Masks one line of JSON inside its strings. What is not JSON is masked as text. */
export function maskJsonLine(line: string, masking: JsonMasking): string {
  let masked = line;
  for (let round = 0; round < ROUNDS; round++) {
    const pass = new Pass(masked, masking);
    const next = pass.run();
    if (next === undefined) return asText(line, masking.scanner);
    if (next === masked) return line === masked || isJson(line) ? masked : asText(line, masking.scanner);
    masked = next;
    if (!pass.again) return isJson(line) ? masked : asText(line, masking.scanner);
  }
  return isJson(line) ? JSON.stringify(MASK) : asText(line, masking.scanner);
}

function asText(line: string, scanner: Scanner): string {
  const ranges = scanner.find(line);
  return ranges.length === 0 ? line : maskRanges(line, ranges);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** One pass over the strings of a line. */
class Pass {
  readonly #line: string;
  readonly #masking: JsonMasking;
  readonly #secrets = new Set<string>();
  #out = "";
  #copied = 0;
  #broken = false;
  /** End of the last key that names a secret; its string, or its list of strings, is masked whole. */
  #secretKeyEnd = -1;
  /** A text that was looked at has changed since, so that another pass is needed. */
  again = false;

  constructor(line: string, masking: JsonMasking) {
    this.#line = line;
    this.#masking = masking;
  }

  /** The masked line, the line itself when it is clean, `undefined` when it is no JSON. */
  run(): string | undefined {
    const isWhole = eachLiteral(this.#line, (literal) => {
      if (literal.isKey) this.#key(literal);
      else this.#value(literal);
    });
    if (!isWhole || this.#broken || !/[{["]/u.test(this.#line)) return undefined;
    if (this.#copied === 0) return this.#line;
    const masked = this.#out + this.#line.slice(this.#copied);
    const equal = maskEqual(masked, this.#secrets, this.#masking);
    this.again = equal !== masked;
    return equal;
  }

  #key(literal: Literal): void {
    const raw = this.#line.slice(literal.start, literal.end);
    const known = this.#masking.keys.get(raw);
    const isSecret = known ?? this.#newKey(literal, raw);
    this.#secretKeyEnd = isSecret ? literal.end : -1;
  }

  #newKey(literal: Literal, raw: string): boolean {
    const text = decodeLiteral(this.#line, literal);
    if (text === undefined) {
      this.#broken = true;
      return false;
    }
    const isSecret = isSecretKey(text);
    if (this.#mask(literal, text, false)) return isSecret;
    const { keys } = this.#masking;
    if (raw.length <= KEY_KEPT_LENGTH && keys.size < KEYS_KEPT) keys.set(raw, isSecret);
    return isSecret;
  }

  #value(literal: Literal): void {
    if (this.#secretKeyEnd >= 0) {
      if (!belongsTo(this.#line, this.#secretKeyEnd, literal)) this.#secretKeyEnd = -1;
      else if (!this.#isId(literal)) {
        const text = decodeLiteral(this.#line, literal);
        if (text === undefined) this.#broken = true;
        else if (text !== "" && text !== MASK) {
          if (text.length >= EQUAL_LENGTH) this.#secrets.add(text);
          this.#replace(literal, MASK);
        }
        return;
      }
    }
    if (literal.end - literal.start < 4) return;
    const text = decodeLiteral(this.#line, literal);
    if (text === undefined) this.#broken = true;
    else this.#mask(literal, text, true);
  }

  /** Whether anything in the literal was masked. */
  #mask(literal: Literal, text: string, mayBeId: boolean): boolean {
    const { scanner } = this.#masking;
    let ranges = scanner.find(text);
    if (ranges.length > 0 && mayBeId && this.#isId(literal)) ranges = scanner.find(text, { idsOnly: true });
    if (ranges.length === 0) return false;
    for (const { start, end } of ranges)
      if (end - start >= EQUAL_LENGTH) this.#secrets.add(text.slice(start, end));
    this.#replace(literal, JSON.stringify(maskRanges(text, ranges)).slice(1, -1));
    return true;
  }

  #replace(literal: Literal, content: string): void {
    this.#out += this.#line.slice(this.#copied, literal.start) + content;
    this.#copied = literal.end;
  }

  #isId(literal: Literal): boolean {
    const { idPaths } = this.#masking;
    return idPaths.length > 0 && isIdPath(pathOf(this.#line, literal.start), idPaths);
  }
}

/** Masks what was found once wherever else in the record it stands, ids excepted. */
function maskEqual(line: string, secrets: ReadonlySet<string>, masking: JsonMasking): string {
  let masked = line;
  for (const secret of secrets) {
    const escaped = JSON.stringify(secret).slice(1, -1);
    if (!masked.includes(escaped)) continue;
    const source = masked;
    let out = "";
    let copied = 0;
    eachLiteral(source, ({ start, end, isKey }) => {
      const content = source.slice(start, end);
      if (!content.includes(escaped)) return;
      if (!isKey && masking.idPaths.length > 0 && isIdPath(pathOf(source, start), masking.idPaths)) return;
      out += source.slice(copied, start) + content.replaceAll(escaped, MASK);
      copied = end;
    });
    masked = out + source.slice(copied);
  }
  return masked;
}
