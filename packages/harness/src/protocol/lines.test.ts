import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { lineCutter } from "./lines.ts";

test("lines come out as they went in, however the bytes are cut; over-long ones only as their length", () => {
  const line = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll("\n", ""));
  fc.assert(
    fc.property(
      fc.array(line),
      fc.array(fc.nat(20)),
      fc.integer({ min: 1, max: 30 }),
      (lines, cuts, limit) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        const cutter = lineCutter(limit);
        const out = [];
        let from = 0;
        for (const cut of [...cuts, bytes.length]) {
          out.push(...cutter.push(bytes.subarray(from, from + cut)));
          from += cut;
        }
        const expected = lines.map((text) => {
          const length = Buffer.byteLength(text);
          return length > limit ? { type: "oversize", bytes: length } : { type: "line", text };
        });
        assert.deepEqual(out, expected);
      },
    ),
  );
});
