import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../rules/all.ts";
import { parseRe2 } from "../syntax/parse.ts";
import { sampleOf } from "../syntax/sample.ts";
import { firstPlaces, mayFollow } from "./follow.ts";

const shown = (regex: string): string[] =>
  firstPlaces(parseRe2(regex)).map((place) =>
    Array.from(place, (is, code) => (is === 1 ? String.fromCharCode(code) : "")).join(""),
  );

test("the first places of a shape are those that each of its matches has", () => {
  assert.deepEqual(shown("ab[0-2]{2}c?"), ["a", "b", "012", "012"]);
  assert.deepEqual(shown("https?:x"), ["h", "t", "t", "p", ":s", ":x"]);
  assert.deepEqual(shown("(?:ab|c)d{1,3}"), ["ac", "bd"]);
  assert.deepEqual(shown("a*b"), ["ab"]);
  assert.deepEqual(shown("(?i:k)x"), ["Kk", "x"]);
});

test("no text of a rule's own shape is dismissed, and what cannot follow is", () => {
  for (const { id, regex } of BUILT_IN.rules) {
    const node = parseRe2(regex);
    const places = firstPlaces(node);
    for (let seed = 1; seed <= 20; seed++) assert.ok(mayFollow(sampleOf(node, seed), 0, places, 0), id);
    assert.equal(mayFollow("\u0001".repeat(places.length), 0, places, 0), false, id);
  }
});

test("an escape of JSON is what it stands for; one that may be anything is let through", () => {
  const places = firstPlaces(parseRe2("a[\\n]b"));
  assert.equal(mayFollow("a\\nb", 0, places, 0), true);
  assert.equal(mayFollow("a\\tb", 0, places, 0), false);
  assert.equal(mayFollow("a\\u000ab", 0, places, 0), true);
  assert.equal(mayFollow("aéb", 0, places, 0), true);
});
