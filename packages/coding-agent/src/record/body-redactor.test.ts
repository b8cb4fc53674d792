import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../message.ts";
import { createBodyRedactor } from "./body-redactor.ts";
import { redactBody } from "./redact.ts";

const mask = (text: string): string => text.replaceAll("hush", "[redacted]");

const key = fc.constantFrom(
  "messages",
  "system",
  "token",
  "max_tokens",
  "properties",
  "required",
  "7",
  "a[0]",
);
const text = fc.oneof(fc.constantFrom("hush", 'say "hush\\', "]", '{"', "ü\u2028"), fc.string());
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom<JsonValue>(null, true, -1.5e21, [], {}),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));
const indent = fc.constantFrom(undefined, 1, "\t");

test("the bodies of a conversation are masked as each would be by itself", () => {
  const body = fc.dictionary(key, value, { maxKeys: 4 });
  fc.assert(
    fc.property(body, fc.array(fc.tuple(body, fc.array(value, { maxLength: 3 }), indent)), (first, turns) => {
      const redact = createBodyRedactor(mask);
      const messages: JsonValue[] = [];
      for (const [changed, added, space] of turns) {
        messages.push(...added);
        const sent = JSON.stringify({ ...first, messages, ...changed }, undefined, space);
        assert.deepEqual(redact(sent), redactBody(sent, mask));
      }
    }),
  );
});

test("text that is no JSON object, or says a member twice, is masked as a whole", () => {
  const good = '{"a":["hush",1],"b":"hush"}';
  const redact = createBodyRedactor(mask);
  for (const sent of [
    good,
    "",
    "hush",
    '["hush"]',
    '{"a":["hush",1],"b":"hush"',
    '{"a":["hush",1,],"b":"hush"}',
    '{"a":["hush" 1],"b":"hush"}',
    '{"a":["hush",1}],"b":"hush"}',
    '{"a":["hush",01],"b":"hush"}',
    `${good}x`,
    '{"a":["hush"],"a":"hush"}',
    '{"a":"hush","a":["hush"]}',
    '{"a":["hush"],"a":["hush","hush"]}',
    '{"__proto__":["hush"]}',
    '{"a":"hush\\"}',
    good,
  ])
    assert.deepEqual(redact(sent), redactBody(sent, mask), sent);
});

test("what a body says again is not looked at again, nor are credentials forgotten", () => {
  const seen: string[] = [];
  const redact = createBodyRedactor((said) => {
    seen.push(said);
    return mask(said);
  });
  const messages = ["one", "hush"].map((content) => ({ content }));
  redact(JSON.stringify({ messages, system: "s" }));
  seen.length = 0;
  const sent = JSON.stringify({ messages: [...messages, { content: "three" }], system: "s" });
  assert.deepEqual(redact(sent).paths, ["messages[1].content"]);
  assert.deepEqual(seen, ["three"]);
});
