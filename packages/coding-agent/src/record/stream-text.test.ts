import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "@orphus/agent-trace/redact";
import { maskStreamText } from "./stream-text.ts";

const token = ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ012345"].join("");
const redactor = createRedactor();
const mask = (text: string): string => redactor.redact(text);
const event = (index: number, text: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: "content_block_delta", index, delta: { text } })}\n\n`;

test("a secret that a stream's pieces cut is masked, each block for itself, and the rest stays as it came", () => {
  for (let cut = 1; cut < token.length; cut += 1) {
    const stream =
      event(0, "before ") +
      event(1, token.slice(0, cut)) +
      event(0, "between ") +
      event(1, `${token.slice(cut)} after`);
    const masked = maskStreamText(stream, mask);
    assert.equal(
      masked,
      event(0, "before ") + event(1, `${mask(token)} after`) + event(0, "between ") + event(1, ""),
      `cut at ${cut}`,
    );
  }
});

test("a clean stream, words and JSON come out as they went in; secrets in any of them do not", () => {
  const clean = `${event(0, "a")}: ping\n\ndata: [DONE]\n\n`;
  assert.equal(maskStreamText(clean, mask), clean);
  for (const body of [`${clean}${token}\n`, token, JSON.stringify({ error: { message: `bad ${token}` } })]) {
    assert.equal(maskStreamText(body, mask).includes(token), false, body);
  }
});
