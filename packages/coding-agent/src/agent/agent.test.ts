import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createFakeCapabilities,
  createReplayRuntime,
  type ExtensionEventName,
  type ScriptedTurn,
  type SessionEvent,
} from "../index.ts";
import { createEchoTool } from "../testing/echo.ts";

const echo = (id: string, message = "hi") => ({ toolCalls: [{ id, name: "echo", arguments: { message } }] });

/** A window in which 900 tokens are too many. */
const model = { contextWindow: 1_000 };
const settings = { compaction: { keepRecentTokens: 1 } };

const texts = (messages: readonly { content: readonly object[] }[]): string[] =>
  messages.map(({ content }) => content.map((block) => ("text" in block ? String(block.text) : "")).join(""));

test("X-03 a summary's request is recorded like any other, says what it was for, and is paid for", async () => {
  const cost = { input: 1_000, output: 1_000, cacheRead: 0, cacheWrite: 0 };
  const runtime = await createReplayRuntime({
    script: [
      { text: "first answer", usage: { input: 800, output: 100 } },
      { text: "SUMMARY", usage: { input: 10, output: 10 } },
      { text: "second answer", usage: { input: 50, output: 10 } },
    ],
    model: { ...model, cost },
    settings,
  });
  const events: SessionEvent[] = [];
  runtime.session.subscribe((event) => events.push(event));
  await runtime.session.prompt("first prompt");
  const result = await runtime.session.prompt("second prompt");

  const requests = runtime.providerRequests();
  assert.deepEqual(
    requests.map(({ turn, attempt, purpose }) => [turn, attempt, purpose]),
    [
      [0, 0, undefined],
      [1, 0, "compaction"],
      [2, 0, undefined],
    ],
  );
  assert.match(requests[1]?.body ?? "", /first prompt[^]*first answer[^]*Sum up/u);
  assert.deepEqual(
    runtime.providerResponses().map(({ requestId, finishReason }) => [requestId, finishReason]),
    requests.map(({ requestId }) => [requestId, "stop"]),
  );
  assert.deepEqual(texts(runtime.session.messages), [
    "Summary of the conversation so far:\n\nSUMMARY",
    "second prompt",
    "second answer",
  ]);
  assert.deepEqual([result.requests, result.turns, result.costUsd], [2, 1, 0.08]);
  const end = events.find((event) => event.type === "compaction_end");
  assert.deepEqual([end?.request?.id, end?.usage?.input], [requests[1]?.requestId, 10]);
  const entry = runtime.entries().find((one) => one.type === "compaction");
  assert.deepEqual([entry?.id, entry?.request], [end?.entryId, end?.request]);
});

test("X-03 a summary that fails ends the run and loses nothing", async () => {
  const runtime = await createReplayRuntime({
    script: [{ text: "one", usage: { input: 900 } }, { error: "no", status: 400 }, { text: "two" }],
    model,
    settings,
  });
  await runtime.session.prompt("go");
  const failed = await runtime.session.prompt("on");
  assert.deepEqual([failed.subtype, failed.error?.message], ["error", "compaction failed: no"]);
  assert.deepEqual(texts(runtime.session.messages), ["go", "one", "on"]);
  assert.equal(runtime.providerResponses()[1]?.error?.kind, "provider");
});

test("summing up on request; with nothing older there is nothing to sum up", async () => {
  const runtime = await createReplayRuntime({
    script: [{ text: "one" }, { text: "SUM" }, { text: "two" }],
    settings,
  });
  assert.equal(await runtime.session.compact(), false);
  await runtime.session.prompt("a");
  assert.equal(await runtime.session.compact(), true);
  await runtime.session.prompt("b");
  assert.match(texts(runtime.session.messages)[0] ?? "", /SUM/u);
});

test("what the user says meanwhile is heard after the tools that are on; what follows, when the work is done", async () => {
  const runtime = await createReplayRuntime({
    script: [echo("c1"), echo("c2"), { text: "done" }, { text: "and that too" }],
    customTools: [createEchoTool()],
    tools: ["echo"],
  });
  runtime.session.subscribe((event) => {
    if (event.type !== "tool_execution_start" || event.toolCallId !== "c1") return;
    runtime.session.followUp("then the other");
    runtime.session.steer("be quick");
  });
  const result = await runtime.session.prompt("go");
  assert.equal(result.text, "and that too");
  assert.deepEqual(
    runtime.session.messages.map((message) => (message.role === "user" ? texts([message])[0] : message.role)),
    [
      "go",
      "assistant",
      "toolResult",
      "be quick",
      "assistant",
      "toolResult",
      "assistant",
      "then the other",
      "assistant",
    ],
  );
});

test("another model and another level count from the next prompt on, and are on record", async () => {
  const runtime = await createReplayRuntime({ script: [{ text: "a" }, { text: "b" }] });
  await runtime.session.prompt("go");
  await runtime.session.setModel({
    model: { ...runtime.provider, model: { ...runtime.provider.model, id: "other" } },
    thinkingLevel: "low",
  });
  await runtime.session.prompt("on");
  assert.deepEqual(
    runtime.entries().flatMap((entry) => {
      if (entry.type === "model_change") return [entry.modelId];
      return entry.type === "thinking_level_change" ? [entry.thinkingLevel] : [];
    }),
    ["scripted-1", "off", "other", "low"],
  );
  assert.deepEqual(
    runtime.providerRequests().map((record) => record.model),
    ["scripted-1", "other"],
  );
});

const hang = (entered: () => void) => () =>
  new Promise<never>(() => {
    entered();
  });

test("a factory that never returns fails the boot when its time is over", async () => {
  const capabilities = createFakeCapabilities();
  const entered = Promise.withResolvers<void>();
  const boot = createReplayRuntime({ capabilities, extensionFactories: [hang(entered.resolve)] });
  await entered.promise;
  capabilities.clock.advance(60_000);
  await assert.rejects(boot, /extension inline-1: did not return within 60 s/u);
});

const HANGING: [
  ExtensionEventName,
  (ended: { subtype: string; error?: { message: string } }, told: string[]) => void,
][] = [
  ["agent_start", (ended, told) => assert.deepEqual([ended.subtype, told.length], ["success", 1])],
  ["message_end", (ended, told) => assert.deepEqual([ended.subtype, told.length > 0], ["success", true])],
  [
    "before_provider_request",
    ({ error }) => assert.match(error?.message ?? "", /did not return within 60 s/u),
  ],
  ["tool_call", (ended) => assert.equal(ended.subtype, "success")],
  ["tool_result", (ended) => assert.equal(ended.subtype, "success")],
];

for (const [event, check] of HANGING)
  test(`a handler of ${event} that never returns has failed when its time is over, and takes nothing else down`, async () => {
    const capabilities = createFakeCapabilities();
    const tool = createEchoTool();
    let hung = 0;
    const runtime = await createReplayRuntime({
      capabilities,
      script: [echo("c1"), { text: "done" }] satisfies ScriptedTurn[],
      customTools: [tool],
      tools: ["echo"],
      extensionFactories: [
        (api) =>
          api.on(
            event,
            hang(() => {
              hung += 1;
              // The time-out is being waited for once the handler has been left alone.
              queueMicrotask(() => queueMicrotask(() => capabilities.clock.advance(60_000)));
            }),
          ),
      ],
    });
    const told: string[] = [];
    runtime.session.subscribe((one) => one.type === "extension_error" && told.push(one.message));
    const result = await runtime.session.prompt("go");
    assert.ok(hung > 0);
    check(result, told);
    if (event === "tool_call") {
      assert.deepEqual(tool.ran, []);
      assert.deepEqual(
        runtime.toolAudits().map(({ outcome, decider }) => [outcome, decider]),
        [["blocked", "hook"]],
      );
    }
  });

test("a tool that never returns is ended with the run", async () => {
  const entered = Promise.withResolvers<void>();
  const capabilities = createFakeCapabilities();
  const runtime = await createReplayRuntime({
    capabilities,
    script: [{ toolCalls: [{ id: "c1", name: "stuck", arguments: {} }] }, { text: "never asked" }],
    customTools: [
      { name: "stuck", description: "", parameters: { type: "object" }, execute: hang(entered.resolve) },
    ],
    tools: ["stuck"],
  });
  const run = runtime.session.prompt("go");
  await entered.promise;
  runtime.session.abort("enough");
  capabilities.clock.advance(5_000);
  const result = await run;
  assert.deepEqual([result.subtype, result.error?.message], ["aborted", "enough"]);
  const last = runtime.session.messages.findLast((message) => message.role === "toolResult");
  assert.equal(last?.outcome, "aborted");
});
