import assert from "node:assert/strict";
import { test } from "node:test";
import { createReplayRuntime, type ExtensionApi, type Registry } from "../index.ts";
import { createEchoTool } from "../testing/echo.ts";
import { createRegistry } from "./registry.ts";

const registerAll = (api: ExtensionApi): void => {
  api.registerTool(createEchoTool());
  api.registerCommand("greet", { handler: () => undefined });
  api.registerShortcut("ctrl+g", { handler: () => undefined });
  api.registerFlag("loud", { type: "boolean", default: true });
  api.registerProvider("local", { api: "openai-completions", baseUrl: "http://127.0.0.1:1/v1", models: [] });
};

const visible = ({ tools, commands, shortcuts, flags, flagValues, providers }: Registry): string[] =>
  [tools, commands, shortcuts, flags, flagValues, providers].flatMap((map) => [...map.keys()]);

const EVERYTHING = ["echo", "greet", "ctrl+g", "loud", "loud", "local"];

test("O-91 O-92 O-93 O-94 O-95 O-96 what a handler registers appears together when it succeeds", async () => {
  const runtime = await createReplayRuntime({
    extensionFactories: [(api) => api.on("agent_start", () => registerAll(api))],
  });
  assert.deepEqual(visible(runtime.session.registry), []);
  await runtime.session.prompt("go");
  assert.deepEqual(visible(runtime.session.registry), EVERYTHING);
});

const EVENTS = [
  "session_start",
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "message_end",
  "before_provider_request",
  "after_provider_response",
  "tool_call",
  "tool_result",
] as const;

test("O-91 O-98 X-12 of a handler that throws, in any event, nothing stays", async () => {
  for (const event of EVENTS) {
    let ran = 0;
    const runtime = await createReplayRuntime({
      script: [{ toolCalls: [{ name: "probe", arguments: {} }] }, { text: "done" }],
      customTools: [{ ...createEchoTool(), name: "probe", parameters: { type: "object" } }],
      tools: ["probe"],
      extensionFactories: [
        (api) =>
          api.on(event, () => {
            ran += 1;
            registerAll(api);
            throw new Error("half way");
          }),
      ],
    });
    await runtime.session.prompt("go");
    assert.ok(ran > 0, `${event} was heard`);
    assert.deepEqual(visible(runtime.session.registry), [], event);
  }
});

test("O-98 a handler that throws takes what the others of the same event registered with it", async () => {
  const runtime = await createReplayRuntime({
    extensionFactories: [
      (api) => api.on("agent_start", () => registerAll(api)),
      (api) =>
        api.on("agent_start", () => {
          throw new Error("no");
        }),
    ],
  });
  const failures: string[] = [];
  runtime.session.subscribe((event) => event.type === "extension_error" && failures.push(event.message));
  await runtime.session.prompt("go");
  assert.deepEqual(visible(runtime.session.registry), []);
  assert.deepEqual(failures, ["extension inline-2: no"]);
});

test("X-12 a factory that throws fails the boot and leaves nothing", async () => {
  const factory = (api: ExtensionApi): void => {
    registerAll(api);
    throw new Error("cannot start");
  };
  await assert.rejects(createReplayRuntime({ extensionFactories: [factory] }), /cannot start/u);
});

test("O-97 O-99 inner commits are invisible while the outer is open, and undone when it fails", async () => {
  const registry = createRegistry();
  const write = registry.writer("one");
  await assert.rejects(
    registry.transactions.run(async () => {
      await registry.transactions.run(() => write.tool(createEchoTool()));
      assert.equal(registry.tools.size, 0);
      throw new Error("outer");
    }),
  );
  assert.equal(registry.tools.size, 0);
  await registry.transactions.run(() => registry.transactions.run(() => write.tool(createEchoTool())));
  assert.equal(registry.tools.size, 1);
});

test("O-100 a rollback leaves flags and their owners as they were; the first owner keeps its name", async () => {
  const registry = createRegistry();
  registry.writer("first").flag("loud", { type: "boolean", default: true });
  await assert.rejects(
    registry.transactions.run(() => {
      registry.writer("second").flag("loud", { type: "boolean", default: false });
      registry.writer("second").flag("fast", { type: "boolean", default: true });
      throw new Error("no");
    }),
  );
  registry.writer("second").flag("loud", { type: "boolean", default: false });
  assert.deepEqual(
    [registry.flags.get("loud")?.owner, registry.flagValues.get("loud"), registry.flags.has("fast")],
    ["first", true, false],
  );
});

test("O-101 O-102 one refresh of the tools for a batch, none for a rollback", async () => {
  const registry = createRegistry();
  let refreshes = 0;
  registry.onToolsChanged(() => (refreshes += 1));
  const write = registry.writer("one");
  await registry.transactions.run(() => {
    write.tool(createEchoTool());
    write.tool({ ...createEchoTool(), name: "other" });
  });
  assert.equal(refreshes, 1);
  await registry.transactions
    .run(() => {
      write.tool({ ...createEchoTool(), name: "third" });
      throw new Error("no");
    })
    .catch(() => undefined);
  await registry.transactions.run(() => write.command("greet", { handler: () => undefined }));
  assert.equal(refreshes, 1);
});

test("X-12 batches that overlap in time do not mix", async () => {
  const registry = createRegistry();
  const write = registry.writer("one");
  const gate = Promise.withResolvers<void>();
  const failing = registry.transactions.run(async () => {
    write.tool({ ...createEchoTool(), name: "lost" });
    await gate.promise;
    throw new Error("no");
  });
  await registry.transactions.run(async () => {
    write.tool({ ...createEchoTool(), name: "kept" });
    gate.resolve();
    await failing.catch(() => undefined);
  });
  assert.deepEqual([...registry.tools.keys()], ["kept"]);
});
