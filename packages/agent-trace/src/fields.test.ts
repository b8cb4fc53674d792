import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createFieldWatch, type FormatFields } from "./fields.ts";
import { object, parseJson, string, type JsonObject } from "./jsonline.ts";

const format: FormatFields = {
  kinds: {
    answer: {
      "": "type message models blob",
      message: "id content",
      "message.content": "type text input",
      models: "*",
      "models.*": "tokens",
    },
  },
  open: ["message.content.input", "blob"],
  free: ["models"],
  kindOf: (record) => string(record["type"]),
};
const unknownIn = (record: JsonObject): string[] => {
  const names: string[] = [];
  createFieldWatch(format).check(record, (name) => names.push(name));
  return names;
};

test("a field nobody knows is named with its kind and place; what is open or data is not looked into", () => {
  const known: JsonObject = {
    type: "answer",
    message: { id: "1", content: [{ type: "text", text: "x", input: { any: { thing: 1 } } }] },
    models: { "model-1": { tokens: 1 }, "model-2": { tokens: 2 } },
    blob: { x: [{ y: 1 }] },
  };
  assert.deepEqual(unknownIn(known), []);
  assert.deepEqual(unknownIn({ ...known, fresh: 1 }), ["answer.fresh"]);
  assert.deepEqual(unknownIn({ type: "answer", message: { content: [{ type: "x" }, { citation: null }] } }), [
    "answer.message.content.citation",
  ]);
  assert.deepEqual(unknownIn({ type: "answer", models: { m: { cost: 1 } } }), ["answer.models.*.cost"]);
  assert.deepEqual(unknownIn({ type: "other", fresh: 1 }), []);
});

test("names that every object inherits are fields like any other", () => {
  const record = object(JSON.parse('{"type":"answer","constructor":1,"__proto__":{"x":1},"toString":2}'));
  assert.ok(record);
  assert.deepEqual(unknownIn(record), ["answer.constructor", "answer.__proto__", "answer.toString"]);
  assert.deepEqual(unknownIn({ type: "constructor", x: 1 }), []);
});

test("whatever a record holds, at most fifty of its fields are named and nothing is thrown", () => {
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, index]));
  assert.equal(unknownIn({ type: "answer", ...wide }).length, 50);
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.jsonValue({ maxDepth: 6 }), (message, models) => {
      const record = object(parseJson(JSON.stringify({ type: "answer", message, models })));
      assert.ok(record);
      assert.ok(unknownIn(record).length <= 50);
    }),
  );
});
