import { join } from "node:path";
import { prices, priced, put, unusedKey, type RealAgent } from "./real-agent.ts";

const model = "scripted-model";

const config = (modelUrl: string): object => ({
  autoupdate: false,
  share: "disabled",
  model: `scripted/${model}`,
  small_model: `scripted/${model}`,
  provider: {
    scripted: {
      npm: "@ai-sdk/openai-compatible",
      name: "Scripted",
      options: { baseURL: `${modelUrl}/v1`, apiKey: unusedKey },
      models: {
        [model]: {
          name: "Scripted",
          limit: { context: 200_000, output: 8192 },
          cost: {
            input: prices.input,
            output: prices.output,
            cache_read: prices.cacheRead,
            cache_write: prices.cacheWrite,
          },
        },
      },
    },
  },
});

export const opencode: RealAgent = {
  name: "opencode",
  program: "opencode",
  packages: [{ name: "opencode-ai", version: "1.18.33" }],
  // Its install script only links this binary.
  command: (modules) => [join(modules, `opencode-${process.platform}-${process.arch}`, "bin", "opencode")],
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  }),
  prepare: ({ home, modelUrl }) => put(home, ".config/opencode/opencode.json", config(modelUrl)),
  args: (prompt) => ["run", "--format", "json", "--auto", prompt],
  model,
  modelArgument: `scripted/${model}`,
  responseIds: "its-own",
  tools: {
    shell: (command, ends) => ({
      tool: "bash",
      arguments: { command, description: "Run a command" },
      does: "exec",
      ends,
    }),
    write: (path, content, ends) => ({
      tool: "write",
      arguments: { filePath: path, content },
      does: "edit",
      path,
      ends,
    }),
    read: (path, ends) => ({ tool: "read", arguments: { filePath: path }, does: "read", path, ends }),
    edit: (path, before, after, ends) => ({
      tool: "edit",
      arguments: { filePath: path, oldString: before, newString: after },
      does: "edit",
      path,
      ends,
    }),
  },
  helper: {
    calls: (prompt) => [
      {
        tool: "task",
        arguments: { description: "Count lines", prompt, subagent_type: "general" },
        does: "other",
        ends: { outcome: "ok" },
      },
    ],
  },
  costOf: priced,
  stream: {
    calls: "as-ended",
    tokens: "response",
    model: false,
    retries: [],
    helper: "nothing",
    interruptedCall: "racing",
    interruptedTokens: false,
    interruption: false,
    answer: false,
  },
  transcript: {
    calls: "as-asked",
    tokens: "response",
    model: true,
    retries: [],
    helper: "whole",
    interruptedCall: "unanswered",
    interruptedTokens: false,
    interruption: false,
    answer: true,
  },
};
