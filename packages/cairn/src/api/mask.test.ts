import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { base64, serve, type TestServer } from "../testing/server.ts";

/** In parts, so that no scanner takes this source for one that holds a credential. */
const secret = ["ghp", "_", "Zx8Kq2Lm9Np4", "Rt6Vw1Yb3Cd5", "Ef7Gh0Jk2Ln4"].join("");
const control = "plain-control-text";

/** Where a text stands in the files of the store: the database and its log. */
const filesWith = (server: TestServer, text: string | Buffer): string[] =>
  globSync("*", { cwd: dirname(server.db) }).filter((file) =>
    readFileSync(join(dirname(server.db), file)).includes(text),
  );

const binary = Buffer.concat([
  Buffer.from([0xff, 0xfe, 0x80]),
  Buffer.from(` ${secret} `),
  Buffer.from([0xc0]),
]);

/** One body for each place where a client can put text. */
const places: [where: string, body: (text: string) => unknown][] = [
  ["title", (text) => ({ title: text, spans: [] })],
  ["prompt", (text) => ({ prompt: `line\n${text}\nline`, spans: [] })],
  ["model", (text) => ({ model: text, spans: [] })],
  ["on_behalf_of", (text) => ({ on_behalf_of: text, spans: [] })],
  ["span category", (text) => ({ spans: [{ span_id: "a", category: text }] })],
  ["span name", (text) => ({ spans: [{ span_id: "a", category: "x", name: text }] })],
  ["span tool", (text) => ({ spans: [{ span_id: "a", category: "x", tool: text }] })],
  ["args text", (text) => ({ spans: [{ span_id: "a", category: "x", args: text }] })],
  [
    "args deep",
    (text) => ({ spans: [{ span_id: "a", category: "x", args: { a: [{ b: `curl ${text}` }] } }] }),
  ],
  ["args key", (text) => ({ spans: [{ span_id: "a", category: "x", args: { [text]: 1 } }] })],
  ["output", (text) => ({ spans: [{ span_id: "a", category: "x", output: base64(`out ${text}\n`) }] })],
  [
    "large output",
    (text) => ({
      spans: [{ span_id: "a", category: "x", output: base64(`${"line\n".repeat(9000)}${text}\n`) }],
    }),
  ],
];

for (const [where, body] of places) {
  test(`a secret in ${where} is masked before it is stored, and what is none is kept`, async (t) => {
    const server = await serve(t);
    assert.equal((await server.post(body(control))).status, 201);
    assert.notDeepEqual(filesWith(server, control), [], "the search can find");
    const answer = await server.post(body(secret));
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(filesWith(server, secret), []);
    assert.notDeepEqual(filesWith(server, "[REDACTED]"), []);
    assert.equal(answer.text.includes(secret), false);
  });
}

test("a secret between bytes that are no text is masked, and the bytes stay", async (t) => {
  const server = await serve(t);
  assert.equal(
    (await server.post({ spans: [{ span_id: "a", category: "x", output: base64(binary) }] })).status,
    201,
  );
  assert.deepEqual(filesWith(server, secret), []);
  const masked = Buffer.concat([
    Buffer.from([0xff, 0xfe, 0x80]),
    Buffer.from(" [REDACTED] "),
    Buffer.from([0xc0]),
  ]);
  assert.notDeepEqual(filesWith(server, masked), []);
});

test("the seed's header in a command is masked: Authorization with a short token", async (t) => {
  const server = await serve(t);
  const value = ["abc", "123"].join("");
  const args = { command: `curl -H 'Authorization: token ${value}' https://example.invalid` };
  assert.equal((await server.post({ spans: [{ span_id: "a", category: "exec", args }] })).status, 201);
  assert.deepEqual(filesWith(server, value), []);
  assert.notDeepEqual(filesWith(server, "Authorization: token [REDACTED]"), []);
});

test("a secret for an id is refused, because two masked ids would be one", async (t) => {
  const server = await serve(t);
  for (const [name, span] of [
    ["span_id", { span_id: secret, category: "x" }],
    ["produced_artifact_id", { span_id: "a", category: "write", produced_artifact_id: secret }],
  ] as const) {
    const answer = await server.post({ spans: [span] });
    assert.equal(answer.status, 400);
    assert.ok(answer.text.includes(`spans[0].${name}`), answer.text);
    assert.equal(answer.text.includes(secret), false);
  }
  assert.deepEqual(filesWith(server, secret), []);
  // Ids as agents make them are none.
  for (const id of [
    "toolu_01A09q90qw90lq917835lq9",
    "3f6700f9-b812-40d3-8369-eaea590497fe",
    "call_9Vx2",
    "a1817fad7a32583a4",
  ]) {
    assert.equal((await server.post({ spans: [{ span_id: id, category: "x" }] })).status, 201, id);
  }
});

test("the server's own token is a secret wherever it stands", async (t) => {
  const token = ["an", "other", "writer", "4711"].join("-");
  const server = await serve(t, { token });
  const authorization = `Bearer ${token}`;
  assert.equal((await server.post({ title: `told ${token}`, spans: [] }, { authorization })).status, 201);
  assert.deepEqual(filesWith(server, token), []);
  assert.notDeepEqual(filesWith(server, "told [REDACTED]"), []);
});

test("control characters and broken surrogates do not get in", async (t) => {
  const server = await serve(t);
  const answer = await server.post({
    title: "a\u001B[31mred\u0000\u0007 \uD800b",
    spans: [{ span_id: "a", category: "x", args: { k: "\u001B]0;title\u0007x" } }],
  });
  assert.equal(answer.status, 201);
  assert.partialDeepStrictEqual(answer.json, { title: "ared \uFFFDb", spans: [{ args: { k: "x" } }] });
});
