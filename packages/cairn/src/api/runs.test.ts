import assert from "node:assert/strict";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import { base64, serve, type TestServer } from "../testing/server.ts";

const span = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  span_id: id,
  category: "exec",
  ...more,
});

/** One of the fields under an answer's `error`. */
const errorOf = (
  json: unknown,
): { code: string; message: string; details: unknown[]; request_id: string } => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a wrong shape fails the comparison that follows
  return (json as { error: { code: string; message: string; details: unknown[]; request_id: string } }).error;
};

const field = (json: unknown, name: string): unknown =>
  typeof json === "object" && json !== null ? new Map(Object.entries(json)).get(name) : undefined;

const storedId = async (server: TestServer, body: unknown): Promise<string> => {
  const answer = await server.post(body);
  assert.equal(answer.status, 201, answer.text);
  return String(field(answer.json, "id"));
};

test("a run is stored with its spans, and comes back as a tree with its sums", async (t) => {
  const now = new Date("2026-11-30T12:00:00.000Z");
  const server = await serve(t, { now: () => now, keepMs: 3_600_000 });
  const body = {
    mode: "batch",
    title: "Triage",
    prompt: "Look.\nFix.",
    model: "a-model",
    token_count: 1234,
    started_at: "2026-11-30T13:00:00.5+02:00",
    on_behalf_of: "nightly",
    spans: [
      span("late", { parent_span_id: "root", start_offset_ms: 500, duration_ms: 2000, tool: "Bash" }),
      span("root", { category: "tool", name: "sub-agent", start_offset_ms: 0, duration_ms: 2000 }),
      span("w", {
        category: "write",
        args: { path: "a", n: [1, null] },
        output: base64("done\n"),
        output_truncated: true,
        produced_artifact_id: "art",
        start_offset_ms: 2500,
        duration_ms: 500,
      }),
    ],
  };
  const created = await server.post(body);
  assert.equal(created.status, 201);
  const id = String(field(created.json, "id"));
  assert.match(id, /^[0-9a-z]{25}$/);
  const read = await server.get(`/v1/runs/${id}`);
  assert.equal(read.status, 200);
  assert.deepEqual(read.json, created.json);
  assert.deepEqual(read.json, {
    id,
    url: `${server.url}/run/${id}`,
    mcp: `mcp://cairn/run/${id}`,
    status: "closed",
    title: "Triage",
    prompt: "Look.\nFix.",
    model: "a-model",
    token_count: 1234,
    provenance: {
      actor: "loopback",
      on_behalf_of: "nightly",
      channel: "api",
      captured_at: "2026-11-30T12:00:00.000Z",
    },
    started_at: "2026-11-30T11:00:00.500Z",
    ended_at: "2026-11-30T11:00:03.500Z",
    expires_at: "2026-11-30T13:00:00.000Z",
    stats: {
      wall_time_ms: 3000,
      span_count: 3,
      tool_call_count: 1,
      token_count: 1234,
      // The sub-agent's own time ends where its call begins, although that outlives it.
      time_by_category_ms: { tool: 500, exec: 2000, write: 500 },
    },
    spans: [
      {
        span_id: "root",
        depth: 0,
        seq: 1,
        category: "tool",
        name: "sub-agent",
        start_offset_ms: 0,
        duration_ms: 2000,
        produced_artifact_ids: [],
        children: [
          {
            span_id: "late",
            parent_span_id: "root",
            depth: 1,
            seq: 0,
            category: "exec",
            tool: "Bash",
            start_offset_ms: 500,
            duration_ms: 2000,
            produced_artifact_ids: [],
            children: [],
          },
        ],
      },
      {
        span_id: "w",
        depth: 0,
        seq: 2,
        category: "write",
        args: { path: "a", n: [1, null] },
        output: base64("done\n"),
        output_truncated: true,
        start_offset_ms: 2500,
        duration_ms: 500,
        produced_artifact_ids: ["art"],
        children: [],
      },
    ],
  });
});

test("what is not known stays absent; a second POST makes a second run", async (t) => {
  const server = await serve(t);
  const body = { spans: [span("s", { category: "meta" })] };
  const first = await storedId(server, body);
  assert.notEqual(await storedId(server, body), first);
  const { json } = await server.get(`/v1/runs/${first}`);
  for (const name of ["title", "prompt", "model", "token_count"]) assert.equal(field(json, name), undefined);
  assert.deepEqual(field(json, "spans"), [
    { span_id: "s", depth: 0, seq: 0, category: "meta", produced_artifact_ids: [], children: [] },
  ]);
});

test("an output over 16 KiB is referred to, and fetched by itself as an attachment", async (t) => {
  const server = await serve(t);
  const text = "0123456789abcde\n".repeat(1025);
  const id = await storedId(server, {
    spans: [span("a/b ?", { output: base64(text) }), span("edge", { output: base64(text.slice(0, 16_384)) })],
  });
  const { json } = await server.get(`/v1/runs/${id}`);
  const spans = field(json, "spans");
  assert.ok(Array.isArray(spans));
  const [large, edge]: unknown[] = spans;
  assert.equal(field(large, "output"), undefined);
  assert.partialDeepStrictEqual(large, { output_ref: { size: 16_400, truncated: false } });
  assert.equal(String(field(edge, "output")).length, 21_848);
  const output = await server.get(`/v1/runs/${id}/spans/${encodeURIComponent("a/b ?")}/output`);
  assert.equal(output.text, text);
  const sha256 = String(field(field(large, "output_ref"), "sha256"));
  assert.equal(output.headers.get("etag"), `"${sha256}"`);
  assert.equal(output.headers.get("x-cairn-checksum"), `sha256:${sha256}`);
  assert.equal(output.headers.get("x-cairn-truncated"), "false");
  assert.match(output.headers.get("content-disposition") ?? "", /^attachment/);
});

const chain = (length: number): Record<string, unknown>[] =>
  Array.from({ length }, (_, n) => span(`s${n}`, n === 0 ? {} : { parent_span_id: `s${n - 1}` }));

for (const [what, body, wanted] of [
  ["no object", [], ""],
  ["another mode", { mode: "stream", spans: [] }, "mode"],
  ["a mode of later", { mode: "open" }, "mode"],
  ["no spans", { title: "x" }, "spans"],
  ["a field of the server's own", { actor: "root", spans: [] }, ""],
  ["a field of a span that is not known", { spans: [span("s", { colour: "red" })] }, "spans[0]"],
  ["a title that is no text", { title: 1, spans: [] }, "title"],
  ["null for absent", { prompt: null, spans: [] }, "prompt"],
  ["a model that is no text", { model: {}, spans: [] }, "model"],
  ["negative tokens", { token_count: -1, spans: [] }, "token_count"],
  ["half a token", { token_count: 1.5, spans: [] }, "token_count"],
  ["tokens beyond what a number holds", { token_count: 2 ** 53, spans: [] }, "token_count"],
  ["a start without a zone", { started_at: "2026-11-30T12:00:00", spans: [] }, "started_at"],
  ["a day that is none", { started_at: "2026-02-30T12:00:00Z", spans: [] }, "started_at"],
  ["a provenance that is no text", { on_behalf_of: ["a"], spans: [] }, "on_behalf_of"],
  ["spans that are no list", { spans: {} }, "spans"],
  ["no span id", { spans: [{ category: "x" }] }, "spans[0].span_id"],
  ["an empty span id", { spans: [span("")] }, "spans[0].span_id"],
  ["one span id twice", { spans: [span("a"), span("b"), span("a")] }, "spans[2].span_id"],
  ["an unknown parent", { spans: [span("a", { parent_span_id: "z" })] }, "spans[0].parent_span_id"],
  ["its own parent", { spans: [span("a", { parent_span_id: "a" })] }, "spans[0].parent_span_id"],
  [
    "a cycle",
    { spans: [span("a", { parent_span_id: "b" }), span("b", { parent_span_id: "a" })] },
    "spans[0].parent_span_id",
  ],
  ["33 levels", { spans: chain(33) }, "spans[32].parent_span_id"],
  ["no category", { spans: [{ span_id: "a" }] }, "spans[0].category"],
  ["a blank category", { spans: [span("a", { category: " \t" })] }, "spans[0].category"],
  ["a long category", { spans: [span("a", { category: "x".repeat(65) })] }, "spans[0].category"],
  ["a name that is no text", { spans: [span("a", { name: 7 })] }, "spans[0].name"],
  ["a tool on a reason", { spans: [span("a", { category: "reason", tool: "x" })] }, "spans[0].tool"],
  ["an output that is no base64", { spans: [span("a", { output: "a*b=" })] }, "spans[0].output"],
  ["an output without padding", { spans: [span("a", { output: "YQ" })] }, "spans[0].output"],
  ["a cut without output", { spans: [span("a", { output_truncated: true })] }, "spans[0].output_truncated"],
  [
    "a cut that is no truth",
    { spans: [span("a", { output: "", output_truncated: 1 })] },
    "spans[0].output_truncated",
  ],
  ["a start before the run", { spans: [span("a", { start_offset_ms: -1 })] }, "spans[0].start_offset_ms"],
  ["a duration below zero", { spans: [span("a", { duration_ms: -1 })] }, "spans[0].duration_ms"],
  ["a duration as text", { spans: [span("a", { duration_ms: "1" })] }, "spans[0].duration_ms"],
  [
    "an artifact of a read",
    { spans: [span("a", { category: "read", produced_artifact_id: "x" })] },
    "spans[0].produced_artifact_id",
  ],
] as const) {
  test(`refuses ${what}, names the field and stores nothing`, async (t) => {
    const server = await serve(t);
    const answer = await server.post(body);
    assert.equal(answer.status, 400, answer.text);
    const error = errorOf(answer.json);
    assert.equal(error.code, "validation_failed");
    const fields = error.details.map((detail) => field(detail, "field"));
    assert.ok(fields.includes(wanted), `${JSON.stringify(fields)} lacks ${wanted}`);
    assert.equal(error.request_id, answer.headers.get("x-request-id"));
    assert.equal(await server.store.deleteExpired(new Date("9000-01-01")), 0);
  });
}

test("takes what lies just inside the limits", async (t) => {
  const server = await serve(t);
  await storedId(server, { spans: chain(32) });
  await storedId(server, {
    spans: [],
    token_count: Number.MAX_SAFE_INTEGER,
    started_at: "0001-01-01T00:00:00Z",
  });
  await storedId(server, { spans: Array.from({ length: 500 }, (_, n) => span(`s${n}`, { duration_ms: 0 })) });
  await storedId(server, {
    spans: [span("a", { output: "", category: "x".repeat(64), start_offset_ms: 2 ** 53 - 1 })],
  });
});

test("refuses what is no JSON of the right type and depth", async (t) => {
  const server = await serve(t);
  for (const body of ["", "{", "{}x", `{"spans":[],}`, `"${"\\u0000".repeat(9)}`, "[".repeat(1_000_000)]) {
    const answer = await server.post(body);
    assert.equal(answer.status, 400, body.slice(0, 20));
    assert.equal(errorOf(answer.json).code, "validation_failed");
  }
  const deep = (levels: number): string =>
    `{"spans":[{"span_id":"a","category":"x","args":${"[".repeat(levels)}${"]".repeat(levels)}}]}`;
  assert.equal((await server.post(deep(62))).status, 400);
  assert.equal((await server.post(deep(61))).status, 201);
  const type = await server.post({ spans: [] }, { "content-type": "text/plain" });
  assert.match(errorOf(type.json).message, /application\/json/);
});

test("refuses 501 spans and a body over the limit with 413", async (t) => {
  const server = await serve(t);
  const many = await server.post({ spans: Array.from({ length: 501 }, (_, n) => span(`s${n}`)) });
  assert.equal(many.status, 413);
  assert.equal(errorOf(many.json).code, "payload_too_large");
  const large = await server.post({ title: "x".repeat(16 * 1024 * 1024), spans: [] });
  assert.equal(large.status, 413);
  assert.equal(errorOf(large.json).code, "payload_too_large");
  assert.equal(await chunked(server, 17), 413);
});

/** Sends megabytes without saying how many. */
const chunked = (server: TestServer, megabytes: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}/v1/runs`,
      { method: "POST", headers: { "content-type": "application/json" } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    // The server may close the connection before all is sent; then its answer has come already.
    sent.once("error", reject);
    sent.write('{"title":"');
    for (let n = 0; n < megabytes; n += 1) sent.write("x".repeat(1024 * 1024));
    sent.end('","spans":[]}');
  });

test("a writer needs the token, a reader the address", async (t) => {
  const token = ["write", "r-", "0123456789"].join("");
  const server = await serve(t, { token });
  const answers = [];
  for (const authorization of [
    undefined,
    "",
    token,
    "Bearer",
    "Bearer x",
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    `Basic ${token}`,
  ]) {
    answers.push(await server.post("not even JSON", authorization === undefined ? {} : { authorization }));
  }
  for (const answer of answers) {
    assert.equal(answer.status, 401);
    const { request_id: _, ...rest } = errorOf(answer.json);
    assert.deepEqual(rest, {
      code: "unauthorized",
      message: "A bearer token of this server is needed.",
      details: [],
    });
  }
  const written = await server.post({ spans: [] }, { authorization: `Bearer ${token}` });
  assert.equal(written.status, 201);
  const read = await server.get(`/v1/runs/${String(field(written.json, "id"))}`);
  assert.equal(read.status, 200);
  assert.equal(field(field(read.json, "provenance"), "actor"), "token");
});

test("unknown, expired and malformed ids, and paths that do not exist, all answer one 404", async (t) => {
  let now = new Date("2026-11-30T12:00:00Z");
  const server = await serve(t, { now: () => now, keepMs: 1000 });
  const id = await storedId(server, { spans: [span("s", { output: base64("x") })] });
  now = new Date("2026-11-30T12:00:01Z");
  const bodies = new Set<string>();
  for (const path of [
    `/v1/runs/${id}`,
    `/v1/runs/${id}/spans/s/output`,
    "/v1/runs/0000000000000000000000000",
    "/v1/runs/%00'--",
    `/v1/runs/${"x".repeat(5000)}`,
    "/v1/runs",
    "/",
    "/nothing",
  ]) {
    const answer = await server.get(path);
    assert.equal(answer.status, 404, path);
    bodies.add(JSON.stringify({ ...errorOf(answer.json), request_id: "" }));
  }
  assert.equal(bodies.size, 1);
  const expired = await server.get(`/run/${id}`);
  const unknown = await server.get("/run/0000000000000000000000000");
  assert.equal(expired.status, 404);
  assert.equal(expired.text, unknown.text);
  assert.match(expired.text, /nothing here/);
});

const failing = async (t: TestContext, maxBytes?: number): Promise<TestServer> =>
  serve(t, maxBytes === undefined ? {} : { maxBytes });

test("a store that is closed under the server gives 503, and says why to the operator only", async (t) => {
  const server = await failing(t);
  const id = await storedId(server, { spans: [] });
  await server.store.close();
  for (const answer of [
    await server.post({ spans: [] }),
    await server.get(`/v1/runs/${id}`),
    await server.get(`/run/${id}`),
  ]) {
    assert.equal(answer.status, 503);
    assert.equal(errorOf(answer.json).code, "unavailable");
    assert.equal(answer.headers.get("retry-after"), "30");
    assert.equal(answer.text.includes(server.db), false);
  }
  assert.equal(server.reports.length, 3);
  assert.ok(server.reports.every((report) => report.includes(server.db)));
});

test("a store without room gives 503, keeps nothing of the run, and takes the next that fits", async (t) => {
  const server = await failing(t, 256 * 1024);
  const kept = await storedId(server, { title: "kept", spans: [] });
  const half = {
    title: "half",
    spans: Array.from({ length: 300 }, (_, n) => span(`s${n}`, { args: "x".repeat(2000) })),
  };
  const answer = await server.post(half);
  assert.equal(answer.status, 503);
  assert.match(errorOf(answer.json).message, /no room left. Nothing was stored/);
  await storedId(server, { title: "next", spans: [] });
  assert.equal((await server.get(`/v1/runs/${kept}`)).status, 200);
  assert.equal(await server.store.deleteExpired(new Date("9000-01-01")), 2);
});

test("a server that is closed answers nobody and has let go of its store", async (t) => {
  const server = await serve(t);
  const id = await storedId(server, { spans: [] });
  await server.close();
  await assert.rejects(server.get(`/v1/runs/${id}`), /fetch failed/);
  await assert.rejects(server.store.run(id, new Date()), /cannot use/);
});
