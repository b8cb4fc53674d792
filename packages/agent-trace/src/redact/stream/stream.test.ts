import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { createRedactor, MASK, type StreamOptions } from "../index.ts";
import { drawn, githubToken, pem, stripeKey } from "../testing/fakes.ts";

const redactor = createRedactor();

async function through(chunks: readonly Uint8Array[], options?: StreamOptions): Promise<Buffer> {
  const out: Uint8Array[] = [];
  const masked = ReadableStream.from(chunks).pipeThrough(redactor.stream(options));
  for await (const chunk of masked) out.push(chunk);
  return Buffer.concat(out);
}

const key = [drawn(64, 2), drawn(64, 3), drawn(20, 4)];

test("H-157 a multi-line private key is masked through the line redactor", () => {
  const [begin = "", ...rest] = pem(key);
  const lines = redactor.lines();
  const masked = ["before", begin, ...rest, "after"].map((line) => lines.text(line));
  assert.deepEqual(masked, ["before", begin, MASK, MASK, MASK, rest.at(-1), "after"]);
});

test("H-146 the line redactor keeps an open private key over a saved state, which holds no secret", () => {
  const [begin = "", first = "", second = "", third = "", end = ""] = pem(key);
  const before = redactor.lines();
  before.text(begin);
  before.text(first);
  const state = JSON.parse(JSON.stringify(before.state()));
  assert.ok(JSON.stringify(state).length < 100);
  const after = redactor.lines(state);
  assert.deepEqual(
    [second, third, end, "x"].map((line) => after.text(line)),
    [MASK, MASK, end, "x"],
  );
});

test("H-146 a key that spans records is masked at its key path, other strings are not", () => {
  const [begin = "", ...rest] = pem(key);
  const record = (text: string): string =>
    JSON.stringify({ type: "delta", id: "abcdefghijklmnop", delta: { text } });
  const lines = redactor.lines();
  const masked = [begin, ...rest, "after"].map((text) => lines.json(record(text)));
  const texts = [begin, MASK, MASK, MASK, rest.at(-1) ?? "", "after"];
  assert.deepEqual(masked, texts.map(record));
});

test("H-146 a key that is cut off masks on until three lines cannot be part of one", () => {
  const [begin = "", first = ""] = pem(key);
  const lines = redactor.lines();
  const rest = ["then some prose.", "and more prose!", "and more, yes", "clear again"];
  assert.deepEqual(
    [begin, first, ...rest].map((line) => lines.text(line)),
    [begin, MASK, MASK, MASK, MASK, "clear again"],
  );
});

test("a secret cut by a chunk border is masked, and any chunking gives the same bytes", async () => {
  const text = Buffer.from(`a ${githubToken()} b\r\n\nDB_PASSWORD=hunter2`);
  const whole = await through([text]);
  assert.equal(whole.toString(), `a ${MASK} b\r\n\nDB_PASSWORD=${MASK}`);
  for (let cut = 1; cut < text.length; cut++)
    assert.deepEqual(await through([text.subarray(0, cut), text.subarray(cut)]), whole);
  assert.deepEqual(await through([...text].map((byte) => Uint8Array.of(byte))), whole);
});

test("bytes that are not UTF-8 survive, in clean lines and in masked ones", async () => {
  const odd = Buffer.from([0xff, 0xfe, 0xe9, 0x80]);
  const secret = Buffer.from(stripeKey());
  const input = Buffer.concat([odd, Buffer.from("\n"), odd, secret, odd, Buffer.from("\né 😀\n")]);
  const want = Buffer.concat([odd, Buffer.from("\n"), odd, Buffer.from(MASK), odd, Buffer.from("\né 😀\n")]);
  assert.deepEqual(await through([input]), want);
});

test("lines of JSON stay lines of JSON", async () => {
  const line = JSON.stringify({ a: `x\n${stripeKey()}\ny`, password: "q" });
  const masked = await through([Buffer.from(`${line}\nnot json\n`)], { jsonLines: true });
  assert.equal(masked.toString(), `${JSON.stringify({ a: `x\n${MASK}\ny`, password: MASK })}\nnot json\n`);
});

test("a secret far into a line of megabytes is masked", async () => {
  const filler = "lorem ipsum dolor ".repeat(100_000);
  const masked = await through([Buffer.from(`${filler}${stripeKey()} ${filler}`)]);
  assert.equal(masked.toString(), `${filler}${MASK} ${filler}`);
});

test("a line too long to be held is masked whole, and counted", async () => {
  const each = createRedactor();
  const piece = new Uint8Array(1024 * 1024).fill(97);
  const lines = ReadableStream.from([...Array.from({ length: 65 }, () => piece), Buffer.from("\nb\n")]);
  let out = "";
  for await (const chunk of lines.pipeThrough(each.stream())) out += Buffer.from(chunk).toString();
  assert.equal(out, `${MASK}\nb\n`);
  assert.equal(each.overBudget, 1);
});

test("a private key whose first line holds a control character is masked to its end", () => {
  for (const control of ["\u0000", "\u0001", "\b", "\u007f", "\u009b31m", "\u001b[0m"]) {
    const lines = createRedactor().lines();
    lines.text(`-----BEGIN RSA PRI${control}VATE KEY-----`);
    assert.equal(lines.text(drawn(64)), MASK, JSON.stringify(control));
  }
});

test("of more private keys than are kept apart, none is given out", () => {
  const lines = createRedactor().lines();
  const names = Array.from({ length: 40 }, (_, index) => `k${index}`);
  const all = (text: string): string => JSON.stringify(Object.fromEntries(names.map((name) => [name, text])));
  lines.json(all("-----BEGIN RSA PRIVATE KEY-----"));
  assert.equal(lines.json(all(drawn(48))), all(MASK));
});
