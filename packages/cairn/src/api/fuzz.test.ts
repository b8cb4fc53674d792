import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { serve } from "../testing/server.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom("", "__proto__", "constructor", "a", "b"),
);

/** Mostly a value that fits, so that the runs get past the first check. */
const field = <T>(fits: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: fits, weight: 12 }, { arbitrary: fc.jsonValue(), weight: 1 });

const whole = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.integer(), fc.double());

const span = fc.record(
  {
    span_id: field(text),
    parent_span_id: field(text),
    category: field(fc.oneof(text, fc.constantFrom("prompt", "reason", "write", "exec"))),
    name: field(text),
    tool: field(text),
    args: fc.jsonValue({ depthSize: "small" }),
    output: field(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64"))),
    output_truncated: field(fc.boolean()),
    start_offset_ms: field(whole),
    duration_ms: field(whole),
    produced_artifact_id: field(text),
  },
  { requiredKeys: ["span_id", "category"] },
);

const run = fc.record(
  {
    mode: field(fc.constant("batch")),
    title: field(text),
    prompt: field(text),
    model: field(text),
    token_count: field(whole),
    started_at: field(
      fc
        .date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
        .map((at) => at.toISOString()),
    ),
    on_behalf_of: field(text),
    spans: field(fc.uniqueArray(span, { selector: (one) => one.span_id, maxLength: 6 })),
  },
  { requiredKeys: ["spans"] },
);

/** Puts a span under one that comes before it, or under none. */
const underEarlier = ({ parent, ...span }: { parent?: number }, index: number): Record<string, unknown> => {
  const under = parent === undefined || index === 0 ? {} : { parent_span_id: `s${parent % index}` };
  return { ...span, span_id: `s${index}`, ...under };
};

/** A run that fits, with any text and any tree in it. */
const validRun = fc
  .tuple(
    fc.record(
      { title: text, prompt: text, model: text, on_behalf_of: text, token_count: fc.maxSafeNat() },
      { requiredKeys: [] },
    ),
    fc.array(
      fc.record(
        {
          parent: fc.nat(),
          category: text.map((word) => `c${word}`),
          name: text,
          tool: text,
          args: fc.jsonValue({ depthSize: "small" }),
          output: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64")),
          start_offset_ms: fc.maxSafeNat(),
          duration_ms: fc.maxSafeNat(),
        },
        { requiredKeys: ["category"] },
      ),
      { maxLength: 8 },
    ),
  )
  .map(([head, spans]) => Object.assign(head, { spans: spans.map(underEarlier) }));

const body = fc.oneof(
  { arbitrary: validRun.map((value) => JSON.stringify(value)), weight: 4 },
  { arbitrary: run.map((value) => JSON.stringify(value)), weight: 6 },
  { arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)), weight: 1 },
  { arbitrary: fc.string({ unit: "binary" }), weight: 1 },
);

test("whatever is sent, the server answers 201, 400 or 413, and shows what it stored", async (t) => {
  const server = await serve(t);
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const answer = await server.post(sent);
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      assert.ok([201, 400, 413].includes(answer.status), `${answer.status} ${answer.text}`);
      if (answer.status !== 201) return;
      const { json } = answer;
      assert.ok(typeof json === "object" && json !== null && "id" in json);
      const read = await server.get(`/v1/runs/${String(json.id)}`);
      assert.deepEqual(read.json, json);
      const page = await server.get(`/run/${String(json.id)}`);
      assert.equal(page.status, 200);
    }),
    { numRuns: 200 },
  );
  assert.deepEqual(server.reports, []);
  // A generator that never gets a run in would prove nothing.
  assert.ok((seen.get(201) ?? 0) > 20 && (seen.get(400) ?? 0) > 20, JSON.stringify([...seen]));
});
