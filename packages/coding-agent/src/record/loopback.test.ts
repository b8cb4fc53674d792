import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createFakeClock } from "../capabilities/fake/clock.ts";
import { createNodeFileSystem } from "../capabilities/node/fs.ts";
import type { ProviderConfig } from "../index.ts";
import { messagesAnswer, textAnswer } from "../testing/answers.ts";
import { createLoopbackSession } from "../testing/loopback.ts";
import { type Answer, startModelServer } from "../testing/server.ts";

const sha256 = (data: Uint8Array | string): string => createHash("sha256").update(data).digest("hex");

const APIS: readonly ProviderConfig["api"][] = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
];

for (const api of APIS)
  test(`X-01 O-29 O-32 ${api}: hash, length and body on record are those of the bytes that arrived`, async () => {
    const answers = await Promise.all([textAnswer(api, "Hello."), textAnswer(api, "Again.")]);
    await using server = await startModelServer(answers);
    await using loop = await createLoopbackSession(server.url, api);
    // Half of a character cannot be sent as UTF-8: the adapter mends it, and the record shows the mended body.
    const first = await loop.session.prompt("Grüße 日本 \ud83d!");
    const second = await loop.session.prompt("and once more");
    assert.deepEqual([first.text, second.text], ["Hello.", "Again."], first.error?.message);
    assert.deepEqual(
      loop.requests().map((record) => [record.api, record.sha256, record.byteLength, record.body]),
      server.hits.map(({ body }) => [api, sha256(body), body.byteLength, body.toString()]),
    );
    assert.ok(!(loop.requests()[0]?.body ?? "\\ud83d").includes("\\ud83d"));
    assert.deepEqual(
      loop.responses().map(({ stream }) => [stream?.text, stream?.sha256]),
      answers.map(({ body }) => [body, sha256(body)]),
    );
    assert.deepEqual(
      loop.responses().map(({ usage }) => [usage?.input, usage?.output]),
      [
        [7, 2],
        [7, 2],
      ],
    );
  });

test("X-02 each try has its own record, and its own response", async () => {
  const busy = await messagesAnswer({ error: "Overloaded", status: 529 });
  await using server = await startModelServer([busy, busy, await messagesAnswer({ text: "back" })]);
  await using loop = await createLoopbackSession(server.url, "anthropic-messages", {
    settings: { retry: { baseDelayMs: 0 } },
  });
  const result = await loop.session.prompt("go");
  assert.deepEqual([result.text, server.hits.length], ["back", 3]);
  assert.deepEqual(
    loop.requests().map(({ turn, attempt }) => `${turn}.${attempt}`),
    ["0.0", "0.1", "0.2"],
  );
  assert.deepEqual(
    loop.responses().map(({ status }) => status),
    [529, 529, 200],
  );
  assert.equal(new Set(loop.requests().map(({ requestId }) => requestId)).size, 3);
});

test("X-06 real failures are told with their kind and status", async () => {
  const failures: [Answer | "nobody", string, number | undefined][] = [
    [await messagesAnswer({ error: "invalid x-api-key", status: 401 }), "auth", 401],
    [await messagesAnswer({ error: "not allowed", status: 403 }), "auth", 403],
    [await messagesAnswer({ error: "too big", status: 413 }), "context_overflow", 413],
    [await messagesAnswer({ error: "slow down", status: 429 }), "rate_limit", 429],
    [await messagesAnswer({ error: "Overloaded", status: 529 }), "overloaded", 529],
    [await messagesAnswer({ error: "prompt is too long: 9 > 8", status: 400 }), "context_overflow", 400],
    [{ status: 307, headers: { location: "http://127.0.0.1:9/" }, body: "" }, "provider", 307],
    [{ body: 'data: {"type":"message_start"', after: "cut" }, "network", 200],
    [{ body: "event: message_start\ndata: {no json\n\n" }, "unknown", 200],
    ["nobody", "network", undefined],
  ];
  for (const [answer, kind, status] of failures) {
    await using server = await startModelServer(answer === "nobody" ? [] : [answer]);
    const url = answer === "nobody" ? "http://127.0.0.1:1" : server.url;
    await using loop = await createLoopbackSession(url);
    const result = await loop.session.prompt("go");
    const [response] = loop.responses();
    assert.deepEqual(
      [response?.error?.kind, response?.status, result.error?.kind],
      [kind, status, kind],
      JSON.stringify([answer, response]),
    );
  }
});

test("X-06 a provider that falls silent, before or in the middle of its answer, is given up on", async () => {
  const whole = (await messagesAnswer({ text: "never to the end" })).body;
  for (const body of ["", whole.slice(0, whole.indexOf("event: message_delta"))]) {
    const arrived = Promise.withResolvers<void>();
    await using server = await startModelServer([{ body, after: "silence" }], () => arrived.resolve());
    const clock = createFakeClock();
    await using loop = await createLoopbackSession(server.url, "anthropic-messages", { world: { clock } });
    let heard = 0;
    const half = Promise.withResolvers<void>();
    loop.session.subscribe(({ type }) => {
      if (type === "message_update" && (heard += 1) === 1) half.resolve();
    });
    const run = loop.session.prompt("go");
    await (body === "" ? arrived.promise : half.promise);
    clock.advance(300_000);
    const result = await run;
    assert.deepEqual(
      [result.error?.kind, result.error?.message],
      ["network", "the provider sent nothing for 300 s"],
    );
  }
});

test("O-37 X-04 with a full disk nothing is sent; what was kept before stays readable", async () => {
  await using server = await startModelServer([await textAnswer("anthropic-messages", "sent")]);
  const fs = createNodeFileSystem();
  let full = false;
  const filling: typeof fs = {
    ...fs,
    async appendFile(path, data, options) {
      if (!full || !data.includes("provider.request")) return fs.appendFile(path, data, options);
      // As a full disk does it: a part is written, then there is no room.
      await fs.appendFile(path, data.slice(0, 100));
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    },
  };
  await using loop = await createLoopbackSession(server.url, "anthropic-messages", {
    world: { fs: filling },
  });
  full = true;
  const refused = await loop.session.prompt("go");
  assert.deepEqual([refused.subtype, server.hits.length, loop.requests().length], ["error", 0, 0]);
  assert.match(refused.error?.message ?? "", /no space left/u);
  full = false;
  const sent = await loop.session.prompt("again");
  assert.deepEqual([sent.text, server.hits.length], ["sent", 1]);
  const lines = readFileSync(loop.session.path ?? "", "utf8")
    .trimEnd()
    .split("\n");
  const broken = lines.filter((line) => {
    try {
      JSON.parse(line);
      return false;
    } catch {
      return true;
    }
  });
  assert.equal(broken.length, 1, "the half-written record stands alone on its line");
});
