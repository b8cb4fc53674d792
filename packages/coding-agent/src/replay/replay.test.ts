import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import {
  createAgentSession,
  createFakeCapabilities,
  createReplayRuntime,
  createScriptedProvider,
  type ToolDefinition,
} from "../index.ts";
import { createEchoTool } from "../testing/echo.ts";

const script = [{ toolCalls: [{ id: "c1", name: "echo", arguments: { message: "hi" } }] }, { text: "done" }];

const echoTool: ToolDefinition = createEchoTool();

test("O-126 a replay boots the production composition on fakes", async () => {
  const runtime = await createReplayRuntime();
  assert.deepEqual(new Set(Object.values(runtime.capabilities).map(({ kind }) => kind)), new Set(["fake"]));
  assert.equal(runtime.session.capabilities, runtime.capabilities);
  runtime.dispose();
});

test("O-127 O-128 O-129 O-130 O-131 the example of the documentation runs as written", async () => {
  const runtime = await createReplayRuntime({
    script: [{ toolCalls: [{ id: "c1", name: "echo", arguments: { message: "hi" } }] }, { text: "done" }],
    customTools: [echoTool],
    tools: ["echo"],
  });
  const result = await runtime.session.prompt("use the tool");
  assert.equal(result.text, "done");
  assert.deepEqual(
    runtime.session.messages.map(({ role }) => role),
    ["user", "assistant", "toolResult", "assistant"],
  );

  const requests = runtime.providerRequests();
  assert.deepEqual(
    requests.map(({ turn, attempt }) => [turn, attempt]),
    [
      [0, 0],
      [1, 0],
    ],
  );
  assert.match(requests[1]?.body ?? "", /"tool_result"/u);
  assert.deepEqual(
    runtime
      .providerResponses()
      .map(({ requestId, status, finishReason }) => [requestId, status, finishReason]),
    [
      [requests[0]?.requestId, 200, "toolUse"],
      [requests[1]?.requestId, 200, "stop"],
    ],
  );
  assert.deepEqual(runtime.toolAudits(), [], "nothing to say beyond the transcript");
  runtime.dispose();
});

test("O-131 toolAudits returns the audit records", async () => {
  const runtime = await createReplayRuntime({
    script,
    customTools: [echoTool],
    tools: ["echo"],
    extensionFactories: [(api) => api.on("tool_call", () => ({ block: true, reason: "not today" }))],
  });
  await runtime.session.prompt("use the tool");
  assert.deepEqual(
    runtime.toolAudits().map(({ toolCallId, outcome, reason }) => [toolCallId, outcome, reason]),
    [["c1", "blocked", "not today"]],
  );
});

test("O-132 dispose ends what runs and leaves nothing", { timeout: 20_000 }, async () => {
  const runtime = await createReplayRuntime({ script: [{ delayMs: 1_000, text: "too late" }] });
  const running = runtime.session.prompt("wait");
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  runtime.session.subscribe(
    (event) => event.type === "message_start" && event.role === "assistant" && resolve(),
  );
  await asked;
  runtime.dispose();
  assert.equal((await running).subtype, "aborted");
});

test("O-133 the payload hook runs before the record, the response hook before the message, as with a live provider", async () => {
  const order: string[] = [];
  const runtime = await createReplayRuntime({
    script: [{ text: "done" }],
    extensionFactories: [
      (api) => {
        api.on(
          "before_provider_request",
          () => void order.push(`payload, ${runtime.providerRequests().length} recorded`),
        );
        api.on("after_provider_response", ({ status }) => void order.push(`response ${status}`));
        api.on("message_end", ({ message }) => void (message.role === "assistant" && order.push("message")));
      },
    ],
  });
  await runtime.session.prompt("go");
  assert.deepEqual(order, ["payload, 0 recorded", "response 200", "message"]);
  assert.equal(runtime.providerRequests().length, 1);
});

test("O-134 a replay whose recorder is broken fails, and nothing is sent", async () => {
  const capabilities = createFakeCapabilities();
  const runtime = await createReplayRuntime({ script: [{ text: "done" }], capabilities });
  const events: string[] = [];
  runtime.session.subscribe((event) => {
    if (event.type === "message_end" && event.message.role === "user")
      capabilities.fs.failWrites(".jsonl", new Error("the disk is full"));
    events.push(event.type);
  });
  const result = await runtime.session.prompt("go");
  assert.deepEqual([result.subtype, result.error?.message], ["error", "the disk is full"]);
  assert.deepEqual([runtime.provider.payloads.length, runtime.provider.remaining], [0, 1]);
  assert.equal(events.at(-1), "result");
});

test("O-136 O-137 a turn's fields, the answers beyond the script, and what the provider shows", async () => {
  const runtime = await createReplayRuntime({
    script: [
      { text: "cut", stopReason: "length" },
      { error: "no such model", status: 404 },
      { error: "broken" },
    ],
    settings: { retry: { maxRetries: 0 } },
  });
  const endings = [];
  for (const prompt of ["one", "two", "three", "four"]) endings.push(await runtime.session.prompt(prompt));
  assert.deepEqual(
    endings.map(({ subtype, error }) => [subtype, error?.status]),
    [
      ["length", undefined],
      ["error", 404],
      ["error", 500],
      ["success", undefined],
    ],
  );
  assert.equal(endings[3]?.text, "");
  assert.deepEqual([runtime.provider.payloads.length, runtime.provider.remaining], [4, 0]);
});

test("O-138 a failure and its recovery share a turn; every request has its response, in order", async () => {
  const runtime = await createReplayRuntime({
    script: [
      { error: "Overloaded", status: 529 },
      { error: "Overloaded", status: 529 },
      { text: "back" },
      { text: "next" },
    ],
  });
  const result = await runtime.session.prompt("go");
  await runtime.session.prompt("again");
  assert.deepEqual([result.text, result.requests, result.turns], ["back", 3, 1]);
  assert.deepEqual(
    runtime.session.messages.map(({ role }) => role),
    ["user", "assistant", "user", "assistant"],
    "failed tries are on record, but no part of the conversation",
  );
  assert.deepEqual(
    runtime.providerRequests().map(({ turn, attempt }) => `${turn}.${attempt}`),
    ["0.0", "0.1", "0.2", "1.0"],
  );
  assert.deepEqual(
    runtime.providerResponses().map(({ requestId }) => requestId),
    runtime.providerRequests().map(({ requestId }) => requestId),
  );
});

test("O-141 O-142 X-14 two replays are equal to the byte, and share one instant", async () => {
  const run = async (): Promise<string> => {
    const runtime = await createReplayRuntime({ script, customTools: [createEchoTool()], tools: ["echo"] });
    await runtime.session.prompt("use the tool");
    assert.equal(new Set(runtime.providerRequests().map(({ timestamp }) => timestamp)).size, 1);
    return await runtime.capabilities.fs.readFile(runtime.session.path ?? "");
  };
  const first = await run();
  assert.equal(await run(), first);
  assert.match(first, /orphus\.provider\.response\.v1/u);
});

test("O-02 the session a user composes leaves the same file as the replay", async () => {
  const runtime = await createReplayRuntime({ script, customTools: [createEchoTool()], tools: ["echo"] });
  await runtime.session.prompt("use the tool");
  const capabilities = createFakeCapabilities();
  const { clock, process } = capabilities;
  const provider = createScriptedProvider(script, { clock, random: process.randomBytes });
  const { session } = await createAgentSession({
    capabilities,
    model: provider,
    transport: provider.transport,
    customTools: [createEchoTool()],
    tools: ["echo"],
  });
  await session.prompt("use the tool");
  assert.equal(
    await capabilities.fs.readFile(session.path ?? ""),
    await runtime.capabilities.fs.readFile(runtime.session.path ?? ""),
  );
});

test("O-140 a boot that fails leaves nothing behind", async () => {
  const capabilities = createFakeCapabilities();
  const poisoned: typeof capabilities = {
    ...capabilities,
    fs: { ...capabilities.fs, mkdir: () => Promise.reject(new Error("poisoned")) },
  };
  const before = readdirSync(tmpdir()).filter((name) => name.includes("replay"));
  await assert.rejects(createReplayRuntime({ capabilities: poisoned }), /poisoned/u);
  await assert.rejects(
    createReplayRuntime({ capabilities, tools: ["no such tool"] }),
    /No tool is named no such tool/u,
  );
  assert.deepEqual([capabilities.fs.files.size, capabilities.fs.folders.size], [0, 0]);
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.includes("replay")),
    before,
  );
});
