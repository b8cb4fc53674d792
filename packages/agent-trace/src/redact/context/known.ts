import { Buffer } from "node:buffer";
import type { Additions, Detector, Scan } from "../engine/scan.ts";

// Shorter values would be found in words and numbers all over.
const SHORTEST = 4;
const KEYWORD_LONGEST = 64;
const LINE_SHORTEST = 12;

/** All forms in which a known value may stand in a text: as it is, encoded, and escaped once and twice. */
export function formsOf(values: readonly string[]): string[] {
  const forms = new Set<string>();
  for (const value of values.flatMap(withItsLines)) {
    const trimmed = value.trim();
    if (trimmed.length < SHORTEST) continue;
    const inUrl = encodeURIComponent(trimmed.toWellFormed());
    const plain = [
      value,
      trimmed,
      ...escapedForms(trimmed),
      inUrl,
      inUrl.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()),
      inUrl.replaceAll("%20", "+"),
      encodeURI(trimmed.toWellFormed()),
      Buffer.from(trimmed, "utf8").toString("latin1"),
    ];
    for (const form of [...plain, ...base64Forms(trimmed)]) if (form.length >= SHORTEST) forms.add(form);
  }
  // Longest first, so that a value is not masked in part.
  return [...forms].sort((a, b) => b.length - a.length);
}

/** A value of several lines is met line by line, too. */
function withItsLines(value: string): string[] {
  const lines = value.split(/\r?\n/u);
  return lines.length === 1 ? lines : [value, ...lines.filter((line) => line.trim().length >= LINE_SHORTEST)];
}

/** As JSON writes a value, and JSON within JSON: also with escaped slashes, and with ASCII only. */
function escapedForms(value: string): string[] {
  const escape = (text: string): string => JSON.stringify(text).slice(1, -1);
  const ascii = (text: string): string =>
    text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const once = escape(value);
  const forms = [once, once.replaceAll("/", "\\/"), ascii(once), ascii(once).replaceAll("/", "\\/")];
  return [...new Set([...forms, ...forms.map(escape)])];
}

/** In base64 a value looks different by where it begins in the encoded bytes; its ends depend on its neighbours. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const forms = [bytes.toString("base64"), bytes.toString("base64url")];
  if (bytes.length < 8) return forms;
  for (const shift of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    const first = shift === 0 ? 0 : shift + 1;
    const whole = text.slice(first, Math.floor(((shift + bytes.length) * 8) / 6));
    forms.push(whole, whole.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}

/** Finds every form of the known values, wherever it stands. */
export function knownValues(forms: readonly string[]): Additions {
  const byKeyword = new Map<string, string[]>();
  const escaped: string[] = [];
  for (const form of forms) {
    const head = form.slice(0, KEYWORD_LONGEST);
    const keyword = head.toLowerCase();
    // In a line of JSON keywords are looked for as they are written, so they hold nothing that is escaped.
    if (/["\\]|[^ -~]/u.test(head)) escaped.push(form);
    else byKeyword.set(keyword, [...(byKeyword.get(keyword) ?? []), form]);
  }
  const called = [...byKeyword].map(([keyword, same]) => ({ keywords: [keyword], detector: exactly(same) }));
  return { called, everywhere: escaped.length === 0 ? [] : [anywhere(escaped)] };
}

function exactly(forms: readonly string[]): Detector {
  return {
    id: "known-value",
    proving: true,
    detect(scan, start) {
      for (const form of forms)
        if (scan.text.startsWith(form, start)) scan.add("known-value", start, start + form.length);
    },
  };
}

function anywhere(forms: readonly string[]): (scan: Scan) => void {
  return (scan) => {
    for (const form of forms)
      for (let at = scan.text.indexOf(form); at >= 0; at = scan.text.indexOf(form, at + form.length))
        scan.add("known-value", at, at + form.length);
  };
}
