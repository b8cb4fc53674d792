import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createRedactor } from "@orphus/agent-trace/redact";
import { createDeltaMask } from "./deltas.ts";

const token = ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ012345"].join("");
const redactor = createRedactor();
const text = `first\nCookie: session=${token.slice(4, 30)}\nand ${token}, then\nlast`;

const update = (contentIndex: number, delta: string) => ({
  type: "message_update" as const,
  timestamp: "2026-12-01T00:00:00.000Z",
  contentIndex,
  kind: "text" as const,
  delta,
});

test("a message that is being written gives the same masked text however it is cut, and nothing is left behind", () => {
  const whole = text
    .split("\n")
    .map((line) => redactor.redact(line))
    .join("\n");
  assert.equal(whole.includes(token), false);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (places) => {
      const cuts = [0, ...places.toSorted((a, b) => a - b), text.length];
      const mask = createDeltaMask(redactor);
      const events = cuts.slice(1).flatMap((to, at) => mask(update(0, text.slice(cuts[at], to))));
      events.push(...mask({ type: "message_end" }));
      assert.deepEqual(events.pop(), { type: "message_end" });
      const said = events.map((event) => ("delta" in event ? String(event.delta) : ""));
      assert.equal(said.join(""), whole);
    }),
  );
});
