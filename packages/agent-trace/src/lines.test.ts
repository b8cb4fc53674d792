import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";
import fc from "fast-check";
import { createLineSplitter, type SplitLine, type SplitterOptions } from "./lines.ts";

const split = (bytes: Uint8Array, cuts: readonly number[], options: SplitterOptions = {}): SplitLine[] => {
  const splitter = createLineSplitter(options);
  const sorted = [...new Set(cuts)].sort((a, b) => a - b);
  const lines: SplitLine[] = [];
  let from = 0;
  for (const cut of [...sorted, bytes.length]) {
    lines.push(...splitter.push(bytes.subarray(from, cut)));
    from = cut;
  }
  return [...lines, ...splitter.end()];
};

const anyBytes = fc
  .array(fc.constantFrom("\n", "\r\n", "\r", "", "a", "é", "💥", "\u0000", "x".repeat(30), '{"a":1}'), {
    maxLength: 40,
  })
  .map((parts) => Buffer.from(parts.join("")));

test("any chunking gives the same lines, and their offsets cover the source without a gap", () => {
  fc.assert(
    fc.property(anyBytes, fc.array(fc.nat(300)), fc.constantFrom(5, 20, 1000), (bytes, cuts, limit) => {
      const inside = cuts.filter((cut) => cut <= bytes.length);
      const lines = split(bytes, inside, { limit, offset: 7 });
      assert.deepEqual(lines, split(bytes, [], { limit, offset: 7 }));
      let at = 7;
      for (const line of lines) {
        assert.equal(line.start, at);
        at = line.end;
      }
      assert.equal(at, 7 + bytes.length);
    }),
  );
});

test("the lines joined again are the source, where nothing was dropped and nothing was no UTF-8", () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const texts = split(bytes, []).map((line) => ("dropped" in line ? "" : line.text));
      assert.equal(texts.join("\n"), bytes.toString().replaceAll("\r\n", "\n").replace(/\n$/, ""));
    }),
  );
});

test("a line over the limit is read to its end and dropped, and the next line is whole", () => {
  const lines = split(Buffer.from(`${"x".repeat(50)}\nnext\n`), [3, 17, 40, 52], { limit: 10 });
  assert.deepEqual(lines, [
    { dropped: true, start: 0, end: 51, bytes: 50, limit: 10 },
    { text: "next", start: 51, end: 56, bytes: 4, terminated: true },
  ]);
});

test("a last line without a newline is kept and marked", () => {
  assert.deepEqual(split(Buffer.from("a\nb"), []), [
    { text: "a", start: 0, end: 2, bytes: 1, terminated: true },
    { text: "b", start: 2, end: 3, bytes: 1, terminated: false },
  ]);
});

test("bytes that are no UTF-8 read as the replacement character, and NUL stays", () => {
  const [line] = split(Buffer.from([0x61, 0xff, 0x00, 0x62, 0x0a]), [2]);
  assert.ok(line !== undefined && !("dropped" in line));
  assert.equal(line.text, "a\uFFFD\u0000b");
  assert.equal(line.bytes, 4);
});

test("lines that begin with a head to be skipped are passed over, whatever the chunks", () => {
  const bytes = Buffer.from('{"type":"api-request","x":1}\n{"type":"user"}\n{"type":"api-request"}\n');
  for (const cuts of [[], [28], [44, 68]]) {
    const texts = split(bytes, cuts, { skip: ['{"type":"api-request"'] }).map((line) =>
      "dropped" in line ? "" : line.text,
    );
    assert.deepEqual(texts, ['{"type":"user"}']);
  }
});
