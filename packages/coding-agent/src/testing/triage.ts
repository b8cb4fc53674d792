import { createReplayRuntime } from "../index.ts";
import type { ScriptedTurn } from "../index.ts";
import { createFakeCapabilities, createFakeFileSystem, createFakeProcesses } from "../index.ts";

const usage = (input: number, output: number, cacheRead: number, cacheWrite: number) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

const script: readonly ScriptedTurn[] = [
  {
    text: "I will look at the cart first.",
    toolCalls: [
      { id: "call_1", name: "read", arguments: { path: "cart.js" } },
      { id: "call_2", name: "read", arguments: { path: "missing.js" } },
    ],
    usage: usage(1200, 80, 0, 900),
  },
  { error: "Overloaded", status: 529 },
  {
    thinking: "total counts items instead of adding prices",
    toolCalls: [
      {
        id: "call_3",
        name: "edit",
        arguments: { path: "cart.js", edits: [{ oldText: "items.length", newText: "sum(items)" }] },
      },
    ],
    usage: { ...usage(90, 120, 2100, 200), reasoning: 40 },
  },
  {
    toolCalls: [
      {
        id: "call_4",
        name: "write",
        arguments: { path: "cart.test.js", content: 'import test from "node:test";\n' },
      },
      { id: "call_5", name: "bash", arguments: { command: "node --test" } },
      { id: "call_6", name: "bash", arguments: { command: "rm -rf /" } },
      { id: "call_7", name: "edit", arguments: { path: 7 } },
      { id: "call_8", name: "teleport", arguments: {} },
    ],
    usage: usage(60, 140, 2300, 300),
  },
  { text: "The total adds prices now; a test fails still.", usage: usage(40, 30, 2800, 0) },
];

/** The run that is shipped as `golden/`: its session file and its stream, the same bytes every time. */
export const triageRun = async (): Promise<{ session: string; stream: string }> => {
  const fs = createFakeFileSystem({
    "/home/dev/shop/cart.js": "export const total = (items) => items.length;\n",
    "/home/dev/shop/.git/HEAD": "ref: refs/heads/main\n",
  });
  const process = createFakeProcesses({ cwd: "/home/dev/shop", env: { HOME: "/home/dev" } });
  process.script("/bin/sh", { result: { code: 1, stdout: "# fail 1\n" } });
  const capabilities = createFakeCapabilities({ fs, process });
  const runtime = await createReplayRuntime({
    script,
    capabilities,
    tools: ["read", "bash", "edit", "write"],
    model: { cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
    policy: ({ arguments: args }) =>
      args["command"] === "rm -rf /"
        ? { decision: "deny", reason: "outside the project" }
        : { decision: "allow" },
  });
  const lines = [JSON.stringify(runtime.session.header)];
  runtime.session.subscribe((event) => lines.push(JSON.stringify(event)));
  await runtime.session.prompt("Fix the failing test in the cart.");
  runtime.dispose();
  const session = fs.files.get(runtime.session.path ?? "")?.data ?? "";
  return { session, stream: `${lines.join("\n")}\n` };
};
