import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  createFakeCapabilities,
  createReplayRuntime,
  type ExtensionFactory,
  type JsonObject,
  type JsonValue,
  type ReplayOptions,
  type Stage,
  type ToolDefinition,
} from "../index.ts";
import { diffPaths } from "../record/diff.ts";
import { createEchoTool } from "../testing/echo.ts";

const call = async (
  args: JsonObject,
  options: ReplayOptions & { hooks?: ExtensionFactory[]; name?: string } = {},
) => {
  const { hooks = [], name = "echo", ...rest } = options;
  const tool = createEchoTool();
  const runtime = await createReplayRuntime({
    script: [{ toolCalls: [{ id: "c1", name, arguments: args }] }, { text: "done" }],
    customTools: [tool],
    tools: ["echo"],
    extensionFactories: hooks,
    ...rest,
  });
  const result = await runtime.session.prompt("go");
  const answer = runtime.session.messages.find((message) => message.role === "toolResult");
  return { runtime, result, answer, ran: tool.ran, audits: runtime.toolAudits() };
};

const said = ({ message }: Readonly<JsonObject>): string =>
  typeof message === "string" ? message : "nothing";

const mutate =
  (change: (input: JsonObject) => void): ExtensionFactory =>
  (api) =>
    api.on("tool_call", ({ input }) => change(input));

test("O-70 a call that nobody touched leaves no audit record", async () => {
  const { audits, ran } = await call({ message: "hi" });
  assert.deepEqual([audits, ran], [[], [{ message: "hi" }]]);
});

test("O-67 O-71 O-72 O-75 O-78 O-83 a mutation runs and is on record", async () => {
  const { audits, ran } = await call(
    { message: "hi" },
    { hooks: [mutate((input) => (input["message"] = "ho"))] },
  );
  assert.deepEqual(ran, [{ message: "ho" }]);
  assert.deepEqual(audits, [
    {
      toolCallId: "c1",
      toolName: "echo",
      outcome: "executed",
      arguments: { message: "ho" },
      mutatedPaths: ["message"],
      timestamp: 1_700_000_000_000,
    },
  ]);
});

test("O-68 G-17 a block is on record with its reason, also when the arguments were left invalid", async () => {
  const hook: ExtensionFactory = (api) =>
    api.on("tool_call", ({ input }) => {
      delete input["message"];
      return { block: true, reason: "too late in the day" };
    });
  const { audits, ran, answer } = await call({ message: "hi" }, { hooks: [hook] });
  assert.deepEqual(ran, []);
  assert.deepEqual(
    audits.map(({ outcome, reason, decider }) => [outcome, reason, decider]),
    [["blocked", "too late in the day", "hook"]],
  );
  assert.equal(answer?.outcome, "blocked");
});

test("O-69 O-79 O-80 O-86 arguments that a hook made invalid stop the call with a durable error", async () => {
  const { audits, ran, answer, result } = await call(
    { message: "hi" },
    { hooks: [mutate((input) => delete input["message"])] },
  );
  assert.deepEqual([ran, answer?.isError, answer?.outcome], [[], true, "invalid_arguments"]);
  assert.deepEqual([audits[0]?.outcome, audits[0]?.mutatedPaths], ["invalid_arguments", ["message"]]);
  assert.equal(result.subtype, "success", "the model hears of it and goes on");
});

test("X-10 the model's own invalid arguments and unknown tools are on record", async () => {
  const invalid = await call({ count: 1 });
  assert.deepEqual([invalid.audits[0]?.outcome, invalid.audits[0]?.decider], ["invalid_arguments", "schema"]);
  const unknown = await call({}, { name: "teleport" });
  assert.deepEqual([unknown.audits[0]?.outcome, unknown.audits[0]?.decider], ["blocked", "resolve"]);
  assert.deepEqual([invalid.ran, unknown.ran], [[], []]);
});

test("O-87 an unknown tool is an error result", async () => {
  const { answer } = await call({}, { name: "teleport" });
  assert.deepEqual([answer?.isError, answer?.outcome], [true, "unknown_tool"]);
});

test("O-73 credentials in arguments are redacted on record, and run as they are", async () => {
  const secret = ["pa", "ss"].join("");
  const hooks = [mutate((input) => (input["message"] = "ho"))];
  const { audits, ran } = await call({ message: "hi", token: secret }, { hooks });
  assert.deepEqual(audits[0]?.arguments, { message: "ho", token: "[redacted]" });
  assert.deepEqual(ran, [{ message: "ho", token: secret }]);
});

test("O-74 an audit that cannot be written does not fail the tool", async () => {
  const capabilities = createFakeCapabilities();
  const hook: ExtensionFactory = (api) =>
    api.on("tool_result", () => capabilities.fs.failWrites(".jsonl", new Error("disk full")));
  const { audits, answer, result } = await call(
    { message: "hi" },
    { capabilities, hooks: [mutate((input) => (input["message"] = "ho")), hook] },
  );
  assert.deepEqual([audits.length, answer?.outcome, result.subtype], [0, "ok", "success"]);
});

test("O-76 where two values differ", () => {
  const cases: [JsonValue, JsonValue, string[]][] = [
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1, b: 2 }, { a: 2, c: 3 }, ["a", "b", "c"]],
    [{ a: { b: 1 } }, { a: { b: 2 } }, ["a.b"]],
    [{ list: [1, 2] }, { list: [1, 3] }, ["list[1]"]],
    [{ list: [1] }, { list: [1, 2] }, ["list"]],
    [1, 2, ["root"]],
    [{ "a.b": 1 }, { "a.b": 2 }, ['["a.b"]']],
  ];
  for (const [before, after, paths] of cases) assert.deepEqual(diffPaths(before, after), paths);
});

test("O-76 no difference means equal, and a difference means unequal", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      // fast-check's JSON is ours; its type only says unknown in places.
      const [a, b] = JSON.parse(JSON.stringify([one, other]));
      assert.equal(
        diffPaths(a, b).length === 0,
        JSON.stringify(a) === JSON.stringify(b) || isDeepEqual(a, b),
      );
    }),
  );
});

const isDeepEqual = (a: unknown, b: unknown): boolean => {
  try {
    assert.deepStrictEqual(a, b);
    return true;
  } catch {
    return false;
  }
};

test("O-77 a call passes the stages in order", async () => {
  const stages: Stage[] = [];
  await call({ message: "hi" }, { onToolStage: (stage) => stages.push(stage) });
  assert.deepEqual(stages, [
    "resolve",
    "validate",
    "hooks",
    "snapshot",
    "revalidate",
    "approve",
    "execute",
    "result_hooks",
    "finalize",
    "observe",
  ]);
});

test("O-81 O-82 O-84 X-11 policy and approval see what runs, also when a later extension and a late reference mutate", async () => {
  let held: JsonObject = {};
  const seen: string[] = [];
  const { ran } = await call(
    { message: "safe" },
    {
      hooks: [
        (api) =>
          api.on("tool_call", ({ input }) => {
            held = input;
            seen.push(`first extension: ${said(input)}`);
          }),
        mutate((input) => (input["message"] = "danger")),
      ],
      policy: ({ arguments: args }) => {
        seen.push(`policy: ${said(args)}`);
        held["message"] = "changed behind the approval";
        return { decision: "ask" };
      },
      approver: async ({ arguments: args }) => {
        seen.push(`approval: ${said(args)}`);
        assert.throws(() => Object.assign(args, { message: "sneaky" }), TypeError);
        return { approved: true };
      },
    },
  );
  assert.deepEqual(seen, ["first extension: safe", "policy: danger", "approval: danger"]);
  assert.deepEqual(ran, [{ message: "danger" }]);
});

test("a policy that asks where nobody can answer, or that throws, stops the call", async () => {
  const asked = await call({ message: "hi" }, { policy: () => ({ decision: "ask" }) });
  assert.deepEqual([asked.ran, asked.audits[0]?.decider], [[], "approval"]);
  const broken = await call(
    { message: "hi" },
    {
      policy: () => {
        throw new Error("rule file is gone");
      },
    },
  );
  assert.deepEqual([broken.ran, broken.audits[0]?.reason], [[], "rule file is gone"]);
});

test("O-85 coerced values are what the tool gets, through the hooks' own object", async () => {
  let held: JsonObject = {};
  const hook = mutate((input) => {
    held = input;
    input["count"] = "42";
  });
  const { ran } = await call({ message: "hi" }, { hooks: [hook] });
  assert.deepEqual([ran, held], [[{ message: "hi", count: 42 }], { message: "hi", count: 42 }]);
});

test("O-88 handlers run in load order, see what came before, and the first block ends the chain", async () => {
  const order: string[] = [];
  const note =
    (name: string, block = false): ExtensionFactory =>
    (api) =>
      api.on("tool_call", ({ input }) => {
        order.push(`${name} sees ${said(input)}`);
        input["message"] = name;
        return { block };
      });
  await call({ message: "hi" }, { hooks: [note("z"), note("a", true), note("never")] });
  assert.deepEqual(order, ["z sees hi", "a sees z"]);
});

test("O-89 a handler that throws stops the call", async () => {
  const hook: ExtensionFactory = (api) =>
    api.on("tool_call", () => {
      throw new Error("gate broke");
    });
  const { ran, answer, audits } = await call({ message: "hi" }, { hooks: [hook] });
  assert.deepEqual(
    [ran, answer?.outcome, audits[0]?.reason],
    [[], "blocked", "extension inline-1: gate broke"],
  );
});

test("O-90 preparation keeps the model's order, execution overlaps, results come in the model's order", async () => {
  const log: string[] = [];
  const secondRan = Promise.withResolvers<void>();
  const tool: ToolDefinition = {
    name: "wait",
    description: "Waits.",
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    async execute(id) {
      log.push(`start ${id}`);
      if (id === "a") await secondRan.promise;
      else secondRan.resolve();
      log.push(`end ${id}`);
      return { content: [{ type: "text", text: id }] };
    },
  };
  const toolCalls = ["a", "b"].map((id) => ({ id, name: "wait", arguments: { name: id } }));
  const runtime = await createReplayRuntime({
    script: [{ toolCalls }, { text: "done" }],
    customTools: [tool],
    tools: ["wait"],
    extensionFactories: [
      (api) => api.on("tool_call", ({ toolCallId }) => void log.push(`prepare ${toolCallId}`)),
    ],
  });
  await runtime.session.prompt("go");
  assert.deepEqual(log, ["prepare a", "prepare b", "start a", "start b", "end b", "end a"]);
  assert.deepEqual(
    runtime.session.messages.flatMap((message) => (message.role === "toolResult" ? message.toolCallId : [])),
    ["a", "b"],
  );
});
