import { isSecretKey } from "../context/names.ts";
import { MASK } from "../controls.ts";
import { maskRanges } from "../engine/ranges.ts";
import type { Scanner } from "../engine/scan.ts";
import { isIdPath, literalAround, type Literal, pathOf, stringsBehind } from "./literals.ts";

export interface JsonMasking {
  scanner: Scanner;
  /** Key paths that hold ids, split at their dots. */
  idPaths: readonly (readonly string[])[];
}

const ROUNDS = 4;
const EQUAL_LENGTH = 12;

/** Masks one line of JSON inside its strings. What is not JSON is masked as text. */
export function maskJsonLine(line: string, masking: JsonMasking): string {
  if (!mayHoldSecrets(line, masking.scanner)) return line;
  const first = /\S/u.exec(line)?.[0];
  if (first !== "{" && first !== "[" && first !== '"') return asText(line, masking.scanner);
  let masked = line;
  for (let round = 0; round < ROUNDS; round++) {
    const next = maskOnce(masked, masking);
    if (next === undefined) return asText(line, masking.scanner);
    masked = next.line;
    if (!next.again) return masked === line || isJson(line) ? masked : asText(line, masking.scanner);
  }
  return isJson(line) ? JSON.stringify(MASK) : asText(line, masking.scanner);
}

function mayHoldSecrets(line: string, scanner: Scanner): boolean {
  return scanner.anyKeyword(line) || holdsHidingEscape(line);
}

/** An escape that can hide a character of a keyword: `\uXXXX` or `\/`. */
function holdsHidingEscape(line: string): boolean {
  return line.includes("\\u") || line.includes("\\/");
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

interface Pass {
  line: string;
  /** Texts that were looked at already have changed since. */
  again: boolean;
}

/** One pass; `undefined` where the line cannot be JSON. */
function maskOnce(line: string, masking: JsonMasking): Pass | undefined {
  const literals = calledLiterals(line, masking.scanner);
  if (literals === undefined) return undefined;
  const replaced = new Map<number, { end: number; text: string }>();
  const secrets = new Set<string>();
  for (const literal of literals) {
    const text = literal.text();
    if (text === undefined) return undefined;
    if (literal.isKey && isSecretKey(text))
      for (const value of stringsBehind(line, literal.end)) {
        const held = value.text();
        if (held === undefined) return undefined;
        if (held === "" || held === MASK || isId(line, value, masking)) continue;
        replaced.set(value.start, { end: value.end, text: MASK });
        if (held.length >= EQUAL_LENGTH) secrets.add(held);
      }
    if (replaced.has(literal.start)) continue;
    const ranges = masking.scanner.find(text, {
      idsOnly: !literal.isKey && masking.idPaths.length > 0 && isId(line, literal, masking),
    });
    if (ranges.length === 0) continue;
    for (const { start, end } of ranges) if (end - start >= EQUAL_LENGTH) secrets.add(text.slice(start, end));
    replaced.set(literal.start, { end: literal.end, text: JSON.stringify(maskRanges(text, ranges)).slice(1, -1) });
  }
  if (replaced.size === 0) return { line, again: false };
  const masked = replaceAll(line, replaced);
  const equal = maskEqual(masked, secrets, masking);
  return { line: equal, again: equal !== masked };
}

/** The literals that something may be found in, in order. `undefined` where quotes do not pair. */
function calledLiterals(line: string, scanner: Scanner): Literal[] | undefined {
  const places = new Set(scanner.keywordEnds(line).map((end) => end - 1));
  if (holdsHidingEscape(line) || scanner.callsWithoutKeyword(line)) addEscapes(line, places);
  if (scanner.callsWithoutKeyword(line)) for (let at = 0; at < line.length; at++) places.add(at);
  const literals: Literal[] = [];
  let behind = 0;
  for (const place of [...places].sort((a, b) => a - b)) {
    if (place < behind) continue;
    const literal = literalAround(line, place, behind);
    if (literal === "outside") continue;
    if (literal === undefined) return undefined;
    literals.push(literal);
    behind = literal.end + 1;
  }
  return literals;
}

function addEscapes(line: string, places: Set<number>): void {
  for (const escape of ["\\u", "\\/"])
    for (let at = line.indexOf(escape); at >= 0; at = line.indexOf(escape, at + 2)) places.add(at);
}

function isId(line: string, literal: Literal, { idPaths }: JsonMasking): boolean {
  return idPaths.length > 0 && isIdPath(pathOf(line, literal.start), idPaths);
}

function replaceAll(line: string, replaced: ReadonlyMap<number, { end: number; text: string }>): string {
  let out = "";
  let at = 0;
  for (const [start, { end, text }] of [...replaced].sort(([a], [b]) => a - b)) {
    out += line.slice(at, start) + text;
    at = end;
  }
  return out + line.slice(at);
}

/** Masks what was found once wherever else in the record it stands, ids excepted. */
function maskEqual(line: string, secrets: ReadonlySet<string>, masking: JsonMasking): string {
  let masked = line;
  for (const secret of secrets) {
    const escaped = JSON.stringify(secret).slice(1, -1);
    for (let at = masked.indexOf(escaped); at >= 0; at = masked.indexOf(escaped, at)) {
      const literal = literalAround(masked, at, 0);
      const id = typeof literal === "object" && isId(masked, literal, masking);
      if (id) at += escaped.length;
      else {
        masked = masked.slice(0, at) + MASK + masked.slice(at + escaped.length);
        at += MASK.length;
      }
    }
  }
  return masked;
}
