import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  createAgentSession,
  createFakeCapabilities,
  createFakeProcesses,
  createReplayRuntime,
  createScriptedProvider,
  MAX_INLINE_BODY_BYTES,
  type ReplayOptions,
  type ScriptedTurn,
} from "../index.ts";
import { redactBody, redactValue } from "./redact.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const keep = (text: string): string => text;

const run = async (script: readonly ScriptedTurn[], options: ReplayOptions = {}, prompt = "go") => {
  const runtime = await createReplayRuntime({ script, ...options });
  const result = await runtime.session.prompt(prompt);
  return { runtime, result, requests: runtime.providerRequests(), responses: runtime.providerResponses() };
};

const withEnv = (env: Record<string, string>) => ({ process: createFakeProcesses({ env }) });

test("O-20 O-25 O-66 records are custom entries, and stand where they belong", async () => {
  const { runtime } = await run([{ text: "done" }]);
  assert.deepEqual(
    runtime.entries().map((entry) => (entry.type === "custom" ? entry.customType : entry.type)),
    [
      "model_change",
      "thinking_level_change",
      "message",
      "orphus.provider.request.v1",
      "message",
      "orphus.provider.response.v1",
      "result",
    ],
  );
  const record = runtime.entries().find((entry) => entry.type === "custom");
  assert.deepEqual(Object.keys(record ?? {}), ["type", "id", "parentId", "timestamp", "customType", "data"]);
});

test("O-21 no record reaches the model", async () => {
  const runtime = await createReplayRuntime({ script: [{ text: "one" }, { text: "two" }] });
  await runtime.session.prompt("go");
  await runtime.session.prompt("on");
  const [first, second] = runtime.providerRequests();
  const seen = JSON.stringify([runtime.session.messages, runtime.provider.payloads]);
  assert.ok(!seen.includes("orphus.provider") && !seen.includes(first?.requestId ?? "?"));
  assert.match(second?.body ?? "", /"one"/u);
});

test("O-22 O-23 O-24 recording is on unless ORPHUS_PROVIDER_AUDIT says 0, false or off", async () => {
  for (const [value, records] of [
    ["0", 0],
    [" OFF ", 0],
    ["False", 0],
    ["1", 1],
    ["", 1],
    ["no", 1],
  ] as const) {
    const { requests, responses, result } = await run([{ text: "done" }], {
      capabilities: withEnv({ ORPHUS_PROVIDER_AUDIT: value }),
    });
    assert.deepEqual(
      [requests.length, responses.length, result.requests],
      [records, records, 1],
      `"${value}"`,
    );
  }
});

test("O-50 without records a message still has its request's id", async () => {
  const { runtime } = await run([{ text: "done" }], {
    capabilities: withEnv({ ORPHUS_PROVIDER_AUDIT: "0" }),
  });
  const answer = runtime
    .entries()
    .find((entry) => entry.type === "message" && entry.message.role === "assistant");
  assert.match(answer?.type === "message" ? (answer.request?.id ?? "") : "", /^[\da-f-]{36}$/u);
});

test("O-28 the record shows what the last hook left", async () => {
  const { requests } = await run([{ text: "done" }], {
    extensionFactories: [
      (api) =>
        api.on("before_provider_request", ({ payload }) => ({
          payload: { ...Object(payload), temperature: 0.5 },
        })),
    ],
  });
  assert.match(requests[0]?.body ?? "", /"temperature":0\.5/u);
});

test("X-12 a payload hook that throws keeps the request from being sent", async () => {
  const { runtime, result, requests } = await run([{ text: "done" }], {
    extensionFactories: [
      {
        name: "gate",
        factory: (api) =>
          api.on("before_provider_request", () => {
            throw new Error("cannot check");
          }),
      },
    ],
  });
  assert.deepEqual([result.subtype, result.error?.message], ["error", "extension gate: cannot check"]);
  assert.deepEqual([requests.length, runtime.provider.remaining], [0, 1]);
});

test("O-31 O-32 O-48 O-49 a record carries identity, hash, length and body of what was sent", async () => {
  const { runtime, requests } = await run([{ text: "done" }]);
  const [record] = requests;
  assert.ok(record?.body !== undefined);
  const user = runtime.entries().find((entry) => entry.type === "message");
  const { body, requestId, ...rest } = record;
  assert.deepEqual(rest, {
    attempt: 0,
    turn: 0,
    branchLeafId: user?.id,
    provider: "scripted",
    model: "scripted-1",
    api: "anthropic-messages",
    sha256: sha256(body),
    byteLength: Buffer.byteLength(body),
    timestamp: 1_700_000_000_000,
  });
  assert.match(requestId, /^[\da-f]{8}-[\da-f]{4}-4/u);
  assert.deepEqual(JSON.parse(body), runtime.provider.payloads[0]);
});

test("O-33 O-34 O-35 O-36 O-44 a body of 1 MiB is inline, one byte more goes to a file of its own", async () => {
  // Wide enough that the output limit in the body does not shrink with the room that is left.
  const model = { contextWindow: 100_000_000 };
  const { requests: probe } = await run([{ text: "done" }], { model }, "x");
  const room = MAX_INLINE_BODY_BYTES - (probe[0]?.byteLength ?? 0) + 1;
  const inline = await run([{ text: "done" }], { model }, "x".repeat(room));
  assert.deepEqual(
    [inline.requests[0]?.byteLength, inline.requests[0]?.bodyPath],
    [MAX_INLINE_BODY_BYTES, undefined],
  );

  const capabilities = createFakeCapabilities();
  const { requests, runtime } = await run([{ text: "done" }], { capabilities, model }, "x".repeat(room + 1));
  const [record] = requests;
  assert.deepEqual(
    [record?.body, record?.bodyPath],
    [undefined, `provider-requests/${record?.requestId}.json`],
  );
  const dir = (runtime.session.path ?? "").replace(/\/[^/]*$/u, "");
  const file = capabilities.fs.files.get(`${dir}/${record?.bodyPath}`);
  assert.deepEqual([file?.mode, capabilities.fs.folders.get(`${dir}/provider-requests`)], [0o600, 0o700]);
  assert.equal(sha256(file?.data ?? ""), record?.sha256);
});

test("O-37 O-38 O-139 a spill that fails keeps the request from being sent and leaves no record", async () => {
  const capabilities = createFakeCapabilities();
  capabilities.fs.failWrites("provider-requests", new Error("no space left"));
  const { runtime, result, requests } = await run(
    [{ text: "done" }],
    { capabilities },
    "x".repeat(2_000_000),
  );
  assert.deepEqual([result.subtype, result.error?.message], ["error", "no space left"]);
  assert.deepEqual([requests.length, runtime.provider.payloads.length], [0, 0]);
});

test("O-39 X-08 a session in memory refuses a body that is too large to keep, and says so", async () => {
  const { result, runtime } = await run(
    [{ text: "done" }],
    { session: { kind: "memory" } },
    "x".repeat(2_000_000),
  );
  assert.match(result.error?.message ?? "", /no folder to put it in/u);
  assert.equal(runtime.provider.payloads.length, 0);
});

test("O-40 a request id that cannot name a file is refused", async () => {
  const { result, runtime } = await run([{ text: "done" }], { newRequestId: () => "../escape" });
  assert.match(result.error?.message ?? "", /cannot name a file/u);
  assert.deepEqual([runtime.providerRequests().length, runtime.provider.payloads.length], [0, 0]);
});

test("O-42 O-43 X-07 credentials in the payload are redacted in the record, the hash stays that of the sent body", async () => {
  const secret = ["hun", "ter", "2"].join("");
  const { runtime, requests } = await run([{ text: "done" }], {
    extensionFactories: [
      (api) =>
        api.on("before_provider_request", ({ payload }) => ({
          payload: { ...Object(payload), metadata: { apiKey: secret, nested: [{ clientSecret: secret }] } },
        })),
    ],
  });
  const [record] = requests;
  assert.deepEqual(record?.redactedPaths, ["metadata.apiKey", "metadata.nested[0].clientSecret"]);
  assert.ok(!(record?.body ?? secret).includes(secret));
  assert.equal(record?.sha256, sha256(JSON.stringify(runtime.provider.payloads[0])));
  assert.equal(record?.storedSha256, sha256(record?.body ?? ""));
});

test("O-45 O-46 O-47 X-07 which keys are credentials, and what is replaced", () => {
  const input = {
    apiKey: "a",
    "x-api-key": "a",
    authorization: { value: "a" },
    accessToken: "a",
    aws_secret_access_key: "a",
    list: [{ passwords: ["a"] }],
    max_tokens: 4096,
    token: null,
    tokenizer: "kept",
    authored: "kept",
    "odd.key": { secret: "a" },
  };
  const { value, paths } = redactValue(input, keep);
  assert.deepEqual(paths, [
    "apiKey",
    "x-api-key",
    "authorization",
    "accessToken",
    "aws_secret_access_key",
    "list[0].passwords",
    '["odd.key"].secret',
  ]);
  assert.deepEqual(value, {
    apiKey: "[redacted]",
    "x-api-key": "[redacted]",
    authorization: "[redacted]",
    accessToken: "[redacted]",
    aws_secret_access_key: "[redacted]",
    list: [{ passwords: "[redacted]" }],
    max_tokens: 4096,
    token: null,
    tokenizer: "kept",
    authored: "kept",
    "odd.key": { secret: "[redacted]" },
  });
});

test("X-07 a schema may name a token without holding one", () => {
  const body = JSON.stringify({
    tools: [
      { input_schema: { type: "object", properties: { token: { type: "string" } }, required: ["token"] } },
    ],
  });
  assert.deepEqual(redactBody(body, keep), { stored: body, paths: [] });
});

test("O-51 O-52 O-53 O-54 O-62 a response record tells status, finish reason and usage", async () => {
  const { runtime, responses } = await run([{ text: "done", usage: { input: 10, output: 5, cacheRead: 2 } }]);
  const answer = runtime.session.messages.at(-1);
  assert.ok(answer?.role === "assistant" && answer.usage !== undefined);
  const [{ stream, ...response } = {}] = responses;
  assert.deepEqual([stream?.contentType, stream?.sha256], ["text/event-stream", sha256(stream?.text ?? "")]);
  assert.equal(responses.length, 1);
  assert.deepEqual(response, {
    requestId: runtime.providerRequests()[0]?.requestId,
    attempt: 0,
    turn: 0,
    status: 200,
    finishReason: "stop",
    usage: answer.usage,
    durationMs: 0,
    timestamp: 1_700_000_000_000,
  });
});

test("O-55 O-63 the duration is monotonic time from dispatch to settlement", async () => {
  const capabilities = createFakeCapabilities();
  const { responses } = await run([{ text: "done" }], {
    capabilities,
    extensionFactories: [(api) => api.on("after_provider_response", () => capabilities.clock.advance(1234))],
  });
  assert.equal(responses[0]?.durationMs, 1234);
});

test("O-56 O-57 each kind of failure is recognised", async () => {
  const cases: [ScriptedTurn, string, number | undefined][] = [
    [{ error: "invalid x-api-key", status: 401 }, "auth", 401],
    [{ error: "slow down", status: 429 }, "rate_limit", 429],
    [{ error: "Overloaded", status: 529 }, "overloaded", 529],
    [{ error: "prompt is too long: 210000 tokens > 200000 maximum", status: 400 }, "context_overflow", 400],
    [{ status: 0 }, "network", undefined],
    [{ stopReason: "aborted" }, "aborted", undefined],
    [{ error: "something broke with your api key store", status: 500 }, "provider", 500],
    [{ error: "deadline: window closed", status: 500 }, "provider", 500],
    [{ error: "odd", status: 200 }, "unknown", 200],
  ];
  for (const [turn, kind, status] of cases) {
    const { responses, result } = await run([turn], { settings: { retry: { maxRetries: 0 } } });
    assert.deepEqual([responses[0]?.error?.kind, responses[0]?.status], [kind, status], JSON.stringify(turn));
    assert.equal(result.error?.kind, kind);
    assert.equal(responses[0]?.finishReason, kind === "aborted" ? "aborted" : "error");
  }
});

test("O-58 O-59 O-65 a completed response opens a turn, a failed one another attempt", async () => {
  const runtime = await createReplayRuntime({
    script: [{ text: "a", stopReason: "length" }, { stopReason: "aborted" }, { text: "b" }, { text: "c" }],
  });
  for (const prompt of ["1", "2", "3", "4"]) await runtime.session.prompt(prompt);
  assert.deepEqual(
    runtime.providerRequests().map(({ turn, attempt }) => `${turn}.${attempt}`),
    ["0.0", "1.0", "1.1", "2.0"],
  );
});

test("O-60 O-61 X-05 turn and attempt go on from the records of a reopened session, abandoned ones too", async () => {
  const capabilities = createFakeCapabilities();
  const first = await createReplayRuntime({ script: [{ text: "one" }, { text: "two" }], capabilities });
  await first.session.prompt("go");
  await first.session.prompt("on");
  const path = first.session.path ?? "";
  const file = capabilities.fs.files.get(path);
  assert.ok(file);
  // The process died when the second request had left: its message and response were never written.
  const lines = file.data.split("\n");
  const second = lines.findLastIndex((line) => line.includes('"orphus.provider.request.v1"'));
  file.data = `${lines.slice(0, second + 1).join("\n")}\n${(lines[second + 1] ?? "").slice(0, 40)}`;

  const again = await createReplayRuntime({
    script: [{ text: "two" }],
    capabilities,
    session: { kind: "file", path },
  });
  const result = await again.session.prompt("on");
  assert.equal(result.text, "two");
  assert.deepEqual(
    again.providerRequests().map(({ turn, attempt }) => `${turn}.${attempt}`),
    ["0.0", "1.0", "1.1"],
  );
  const reopened = await createReplayRuntime({ capabilities, session: { kind: "file", path } });
  assert.equal(reopened.entries().length, again.entries().length, "the torn line cost only itself");
});

test("O-18 O-41 a key in the environment reaches neither session nor model", async () => {
  const key = ["live", "0123456789"].join("-");
  const capabilities = createFakeCapabilities(withEnv({ MODEL_API_KEY: key }));
  capabilities.process.script("/bin/sh", { result: { stdout: `MODEL_API_KEY=${key}\n` } });
  const script = [{ toolCalls: [{ name: "bash", arguments: { command: "env" } }] }, { text: "done" }];
  const { clock, process } = capabilities;
  const provider = createScriptedProvider(script, { clock, random: process.randomBytes });
  const { session } = await createAgentSession({
    capabilities,
    model: provider,
    transport: provider.transport,
  });
  await session.prompt("look around");
  assert.ok(!JSON.stringify(provider.payloads).includes(key));
  const file = await capabilities.fs.readFile(session.path ?? "");
  assert.ok(!file.includes(key) && file.includes("MODEL_API_KEY=[redacted]"));
});

test("O-26 the names and bounds of the records come from the package's root", async () => {
  const root = await import("../index.ts");
  assert.deepEqual(
    [
      root.PROVIDER_REQUEST_ENTRY,
      root.PROVIDER_RESPONSE_ENTRY,
      root.TOOL_AUDIT_ENTRY,
      root.MAX_INLINE_BODY_BYTES,
      root.PROVIDER_REQUEST_SPILL_DIR,
      root.ENV_PROVIDER_AUDIT,
    ],
    [
      "orphus.provider.request.v1",
      "orphus.provider.response.v1",
      "orphus.tool.audit.v1",
      1_048_576,
      "provider-requests",
      "ORPHUS_PROVIDER_AUDIT",
    ],
  );
});
