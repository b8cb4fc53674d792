import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anchorOf } from "./anchor.ts";
import { KeywordTable, newHits } from "./keywords.ts";

const keywords = ["pw", "s.", "key", "api", "token", "xoxb-", "-----begin", "://", "application_key", "ey"];
const table = new KeywordTable(keywords.map((text) => ({ text, anchor: anchorOf(text) })));

/** All places of all keywords, looked for one by one. */
function slowly(text: string): string[] {
  const lower = text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase());
  return keywords.flatMap((keyword) => {
    const found: string[] = [];
    for (let at = lower.indexOf(keyword); at >= 0; at = lower.indexOf(keyword, at + 1))
      found.push(`${keyword} ${at + keyword.length}`);
    return found;
  });
}

function found(text: string): string[] {
  const { pairs, length } = table.find(text, newHits());
  return Array.from({ length: length / 2 }, (_, i) => `${keywords[pairs[2 * i] ?? 0]} ${pairs[2 * i + 1]}`);
}

const piece = fc.oneof(
  fc.constantFrom(...keywords, ...keywords.map((word) => word.toUpperCase())),
  // Units whose low byte is that of a letter are not that letter.
  fc.constantFrom("k", "e", "\u016b\u0165\u0179", "\u{1f511}", "0", " ", "\n", "\u00f3\u00ae"),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

test("every keyword is found wherever it stands, in any case, in short texts and long ones", () => {
  fc.assert(
    fc.property(text, fc.constantFrom(0, 90, 65_530, 65_536), (tail, before) => {
      const whole = ".".repeat(before) + tail;
      assert.deepEqual(found(whole).sort(), slowly(whole).sort());
    }),
    { numRuns: 400 },
  );
});

test("control characters and escapes that could hide a keyword are noticed, others are not", () => {
  for (const before of ["", ".".repeat(200)]) {
    const look = (end: string): [boolean, boolean] => {
      const { controls, escapes } = table.find(before + end, newHits());
      return [controls, escapes];
    };
    for (const control of ["\u0000", "\u0001", "\b", "\f", "\u001b", "\u007f", "\u009b"])
      assert.deepEqual(look(`a${control}`), [true, false]);
    for (const escape of ["\\u002d", "\\/", "\\b", "\\U002d"])
      assert.deepEqual(look(`a${escape}`), [false, true]);
    for (const plain of ["\t\n\r", "\\n", "a/b", "\u011b\u0108", "|u", "é"])
      assert.deepEqual(look(plain), [false, false]);
  }
});
