import { Buffer } from "node:buffer";

/** Longest `summary` of a tool call, in UTF-8 bytes. */
export const SUMMARY_BYTES = 1024;
/** Longest `text` of a result, in UTF-8 bytes. */
export const RESULT_TEXT_BYTES = 4096;
/** Longest `note` of a mark, in code points. */
export const NOTE_CODE_POINTS = 2000;

const ellipsis = "…";

/** Where the last whole code point ends in UTF-8 bytes that may have been cut in the middle of one. */
const wholeEnd = (bytes: Uint8Array): number => {
  let lead = bytes.length - 1;
  while (lead > 0 && ((bytes[lead] ?? 0) & 0xc0) === 0x80) lead -= 1;
  const first = bytes[lead] ?? 0;
  const width = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return lead + width <= bytes.length ? bytes.length : lead;
};

/** The text, cut to at most `bytes` of UTF-8 (`…` included) at a code point's edge. */
export const cutBytes = (text: string, bytes: number): string => {
  // A UTF-16 unit is at most 3 bytes: most texts need no measuring.
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const room = bytes - Buffer.byteLength(ellipsis);
  const head = Buffer.from(text.slice(0, room)).subarray(0, room);
  return head.subarray(0, wholeEnd(head)).toString("utf8") + ellipsis;
};

/** The text, cut to at most `limit` code points (`…` included). */
export const cutCodePoints = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  let units = 0;
  let points = 0;
  let keep = 0;
  for (const point of text) {
    if (points === limit - 1) keep = units;
    if (points === limit) return text.slice(0, keep) + ellipsis;
    units += point.length;
    points += 1;
  }
  return text;
};

/** CSI, OSC (ended by BEL or ST) and two-character escape sequences of terminals. */
// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -~])/g;
// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** The text without terminal escapes, control characters and direction overrides; newlines and tabs stay. */
export const plainText = (text: string): string => text.replaceAll(escapes, "").replaceAll(controls, "");

/** The text on one line: control characters gone, every run of white space one blank, at most `bytes` long. */
export const oneLine = (text: string, bytes: number = SUMMARY_BYTES): string => {
  // What is far behind the limit is not worth the work; escapes may shrink, so some room is left.
  const near = text.length > bytes * 8 ? text.slice(0, bytes * 8) : text;
  return cutBytes(plainText(near).replaceAll(/\s+/g, " ").trim(), bytes);
};

/** A mark's note: several lines allowed, control characters gone. */
export const noteText = (text: string): string => {
  const near = text.length > NOTE_CODE_POINTS * 8 ? text.slice(0, NOTE_CODE_POINTS * 8) : text;
  return cutCodePoints(plainText(near).trim(), NOTE_CODE_POINTS);
};
