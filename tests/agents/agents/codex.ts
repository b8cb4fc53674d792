import { join } from "node:path";
import { put, unusedKey, type RealAgent } from "./real-agent.ts";

const model = "gpt-5.5";

const config = (modelUrl: string): string => `model = "${model}"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}/v1"
env_key = "MODEL_KEY"
wire_api = "responses"

[analytics]
enabled = false
`;

const shell: RealAgent["tools"]["shell"] = (cmd, ends) => ({
  tool: "exec_command",
  arguments: { cmd },
  does: "exec",
  ends,
});

const patch = (lines: readonly string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

export const codex: RealAgent = {
  name: "codex",
  program: "codex",
  packages: [{ name: "@openai/codex", version: "0.171.0" }],
  command: (modules) => [process.execPath, join(modules, "@openai", "codex", "bin", "codex.js")],
  environment: () => ({ MODEL_KEY: unusedKey }),
  prepare: ({ home, modelUrl }) => put(home, ".codex/config.toml", config(modelUrl)),
  args: (prompt, named) => [
    "exec",
    "--json",
    "--dangerously-bypass-approvals-and-sandbox",
    "--model",
    named,
    prompt,
  ],
  model,
  responseIds: "the-model's",
  tools: {
    shell,
    write: (path, content, ends) => ({
      tool: "apply_patch",
      arguments: patch([
        `*** Add File: ${path}`,
        ...content
          .trimEnd()
          .split("\n")
          .map((line) => `+${line}`),
      ]),
      does: "edit",
      path,
      ends,
    }),
    // It has no tool for reading: it asks the shell.
    read: (path, ends) => ({
      ...shell(`cat '${path}'`, { ...ends, ...(ends.outcome === "error" ? { exitCode: 1 } : {}) }),
      does: "read",
      path,
    }),
    edit: (path, before, after, ends) => ({
      tool: "apply_patch",
      arguments: patch([`*** Update File: ${path}`, "@@", `-${before}`, `+${after}`]),
      does: "edit",
      path,
      ends,
    }),
  },
  helper: {
    // With the models it knows it hides these tools behind a search.
    model: "gpt-5.1-codex",
    calls: (message) => [
      {
        tool: "spawn_agent",
        namespace: "multi_agent_v1",
        arguments: { message },
        does: "other",
        ends: { outcome: "ok" },
      },
      {
        tool: "wait_agent",
        namespace: "multi_agent_v1",
        // Whom the call before has started.
        arguments: (latest) => ({ targets: [idIn(latest)], timeout_ms: 20_000 }),
        does: "other",
        ends: { outcome: "ok" },
      },
    ],
  },
  stream: {
    calls: "renamed",
    tokens: "turn",
    model: false,
    retries: [401, 429],
    helper: "nothing",
    interruptedCall: "racing",
    interruptedTokens: false,
    interruption: false,
    answer: true,
  },
  transcript: {
    calls: "as-asked",
    tokens: "response",
    model: true,
    retries: [],
    helper: "whole",
    interruptedCall: "error",
    interruptedTokens: true,
    interruption: true,
    answer: true,
  },
};

const idIn = (text: string): string =>
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0] ?? "none";
