import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { detachKeys } from "./keys.ts";

const typed = (...pieces: string[]) => {
  const keys = detachKeys();
  let passed = "";
  for (const piece of pieces) {
    const { pass, detach } = keys.typed(Buffer.from(piece));
    passed += Buffer.from(pass).toString();
    if (detach) return { passed, detach };
  }
  return { passed, detach: false };
};

test("ctrl-b d detaches, also when it comes in two pieces; what was typed before goes to the program", () => {
  assert.deepEqual(typed("ab\u0002d"), { passed: "ab", detach: true });
  assert.deepEqual(typed("ab\u0002", "dc"), { passed: "ab", detach: true });
});

test("ctrl-b before another key goes to the program with it, and twice it is one", () => {
  assert.deepEqual(typed("\u0002x"), { passed: "\u0002x", detach: false });
  assert.deepEqual(typed("\u0002\u0002d"), { passed: "\u0002d", detach: false });
});

test("without ctrl-b every byte passes, however it is cut", () => {
  fc.assert(
    fc.property(fc.array(fc.string().map((text) => text.replaceAll("\u0002", ""))), (pieces) => {
      assert.deepEqual(typed(...pieces), { passed: pieces.join(""), detach: false });
    }),
  );
});
