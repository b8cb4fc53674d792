import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Span } from "./run.ts";
import { statsOf } from "./stats.ts";
import { flatten, spanTree } from "./tree.ts";

/** Spans of one category each, every one under an earlier one or under none, shuffled. */
const spans = fc
  .array(
    fc.record({ parent: fc.option(fc.nat(), { nil: undefined }), start: fc.nat(200), length: fc.nat(100) }),
    {
      maxLength: 12,
    },
  )
  .chain((drawn) =>
    fc.shuffledSubarray(
      drawn.map(({ parent, start, length }, index): Span => ({
        spanId: `s${index}`,
        ...(parent === undefined || index === 0 ? {} : { parentSpanId: `s${parent % index}` }),
        seq: index,
        category: `c${index}`,
        startOffsetMs: start,
        durationMs: length,
      })),
      { minLength: drawn.length },
    ),
  );

test("every span is in the tree once, below its parent, in the order of its siblings", () => {
  fc.assert(
    fc.property(spans, (all) => {
      const nodes = flatten(spanTree(all));
      assert.deepEqual(new Set(nodes.map((node) => node.span)), new Set(all));
      assert.equal(nodes.length, all.length);
      for (const node of nodes) {
        for (const child of node.children) {
          assert.equal(child.span.parentSpanId, node.span.spanId);
          assert.equal(child.depth, node.depth + 1);
        }
        const order = node.children.map((child) => child.span.seq);
        assert.deepEqual(
          order,
          order.toSorted((a, b) => a - b),
        );
      }
    }),
  );
});

test("a span's own time is its milliseconds in which no span under it ran", () => {
  fc.assert(
    fc.property(spans, (all) => {
      const stats = statsOf({ spans: all });
      for (const node of flatten(spanTree(all))) {
        // Counted one by one, where the code adds up intervals.
        let own = 0;
        for (let ms = node.startMs; ms < node.endMs; ms += 1) {
          if (!node.children.some((child) => child.startMs <= ms && ms < child.endMs)) own += 1;
        }
        assert.equal(stats.timeByCategoryMs[node.span.category], own);
      }
      const ends = all.map((span) => (span.startOffsetMs ?? 0) + (span.durationMs ?? 0));
      assert.equal(stats.wallTimeMs, Math.max(0, ...ends));
    }),
  );
});
