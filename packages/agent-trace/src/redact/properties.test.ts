import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import fc from "fast-check";
import { createRedactor, MASK } from "./index.ts";
import { BUILT_IN } from "./rules/all.ts";
import { parseRe2 } from "./syntax/parse.ts";
import { sampleOf } from "./syntax/sample.ts";
import { drawn, githubToken, gitlabToken, pem, stripeKey } from "./testing/fakes.ts";

const redactor = createRedactor({ values: ["known value 42"] });

const secrets = [
  stripeKey(),
  githubToken(),
  gitlabToken(),
  "known value 42",
  `DB_PASSWORD=${drawn(9)}`,
  `token: ${drawn(30)}`,
  `Authorization: Bearer ${drawn(20)}`,
  `https://joe:${drawn(10)}@h/`,
  pem([drawn(64)]).join("\n"),
  "kind: Secret\ndata:\n a: ",
  `Cookie: a=${drawn(12)}; b=${drawn(12)}`,
  `curl -u a:${drawn(8)} -H "X-Key: ${drawn(9)}"`,
  drawn(40),
  "password",
  "=",
  "key",
  ":",
  '"',
];
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...secrets) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "\n",
      " ",
      "\t",
      "\\",
      "\\n",
      "\u001b[31m",
      "\ud800",
      "é",
      "[",
      "]",
      "[REDACTED]",
      "\r",
    ),
  },
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
const json = fc
  .jsonValue({ stringUnit: "binary", maxDepth: 3 })
  .chain((value) =>
    fc.tuple(fc.constant(value), fc.dictionary(fc.constantFrom("text", "token", "cmd", "id"), text)),
  );

test("masking is idempotent", () => {
  fc.assert(
    fc.property(text, (input) => {
      const once = redactor.redact(input);
      assert.equal(redactor.redact(once), once);
    }),
    { numRuns: 2000 },
  );
});

test("findings are in order, apart, and what is masked; no finding, no change", () => {
  fc.assert(
    fc.property(text, (input) => {
      const found = redactor.findings(input);
      let out = "";
      let at = 0;
      for (const { start, end } of found) {
        assert.ok(start >= at && end > start && end <= input.length);
        out += input.slice(at, start) + MASK;
        at = end;
      }
      assert.equal(redactor.redact(input), out + input.slice(at));
    }),
    { numRuns: 1000 },
  );
});

test("a line of JSON stays valid, differs only inside strings, and masking it twice is masking it once", () => {
  fc.assert(
    fc.property(json, (value) => {
      const line = JSON.stringify(value);
      const masked = redactor.jsonLine(line);
      const parsed: unknown = JSON.parse(masked);
      assertAlike(JSON.parse(line), parsed);
      assert.equal(redactor.jsonLine(masked), masked);
      assert.equal(masked.includes(MASK) || masked === line, true, "a clean line is byte-identical");
    }),
    { numRuns: 1500 },
  );
});

test("value() and jsonLine() mask alike", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("text", "token", "cmd", "id"), fc.array(text)), (value) => {
      assert.equal(JSON.stringify(redactor.value(value)), redactor.jsonLine(JSON.stringify(value)));
    }),
    { numRuns: 500 },
  );
});

test("any chunking of a stream gives the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 6 }),
      fc.array(fc.nat(40)),
      fc.boolean(),
      async (lines, cuts, jsonLines) => {
        const bytes = Buffer.from(lines.join("\n"));
        const whole = await through([bytes], jsonLines);
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const cut of cuts) chunks.push(bytes.subarray(at, (at += cut)));
        chunks.push(bytes.subarray(at));
        assert.deepEqual(await through(chunks, jsonLines), whole);
      },
    ),
    { numRuns: 300 },
  );
});

async function through(chunks: readonly Uint8Array[], jsonLines: boolean): Promise<Buffer> {
  const out: Uint8Array[] = [];
  for await (const chunk of ReadableStream.from(chunks).pipeThrough(redactor.stream({ jsonLines })))
    out.push(chunk);
  return Buffer.concat(out);
}

test("bytes of any kind without a secret leave a stream as they came", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const clean = bytes.map((byte) => (byte < 128 && byte !== 10 ? 32 : byte));
      assert.deepEqual(await through([clean], false), Buffer.from(clean));
    }),
  );
});

test("a token is masked between any two texts that do not touch it", () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom(stripeKey, githubToken, gitlabToken), (before, after, fake) => {
      const secret = fake(77);
      assert.ok(!redactor.redact(`${before} ${secret} ${after}`).includes(secret));
      const line = JSON.stringify([before, ` ${secret} ${after}`]);
      assert.ok(!redactor.jsonLine(line).includes(secret));
    }),
    { numRuns: 1000 },
  );
});

/** Equal but for strings that hold the mask, and keys that do. */
function assertAlike(before: unknown, after: unknown): void {
  if (typeof after === "string" && after.includes(MASK)) assert.equal(typeof before, "string");
  else if (Array.isArray(before) && Array.isArray(after)) {
    assert.equal(after.length, before.length);
    for (const [index, item] of before.entries()) assertAlike(item, after[index]);
  } else if (isRecord(before) && isRecord(after)) {
    for (const [key, item] of Object.entries(after)) if (!key.includes(MASK)) assertAlike(before[key], item);
  } else assert.deepEqual(after, before);
}

function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

test("a string of JSON is masked as its text is, though it is judged as it is written", () => {
  const both = [redactor, createRedactor({ values: ['a "quoted" value'] })];
  const glue = fc.constantFrom(
    "\n",
    "\t",
    '"',
    "\\",
    "\\n",
    " ",
    "é",
    "\u001b[1m",
    "/",
    "token = ",
    '{"api_key": "',
    "\r\n",
    ": ",
  );
  const shape = fc
    .tuple(fc.nat(BUILT_IN.rules.length - 1), fc.integer({ min: 1, max: 9 }))
    .map(([index, seed]) => sampleOf(parseRe2(BUILT_IN.rules[index]?.regex ?? ""), seed));
  const texts = fc.array(fc.oneof(glue, shape), { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      for (const each of both)
        assert.deepEqual(JSON.parse(each.jsonLine(JSON.stringify([text]))), [each.redact(text)]);
    }),
    { numRuns: 1500 },
  );
});
