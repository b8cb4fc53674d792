import { join } from "node:path";
import { platform, priced, unusedKey, type RealAgent } from "./real-agent.ts";

const model = "claude-sonnet-4-5";

export const claudeCode: RealAgent = {
  name: "claude-code",
  program: "claude",
  packages: [{ name: "@anthropic-ai/claude-code", version: "2.1.332" }],
  // Its install script only links this binary.
  command: (modules) => [join(modules, "@anthropic-ai", `claude-code-${platform}`, "claude")],
  environment: (modelUrl) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: unusedKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Ten would take minutes.
    CLAUDE_CODE_MAX_RETRIES: "2",
    // As root it refuses to act without asking, unless it is told that nothing can be hurt.
    IS_SANDBOX: "1",
  }),
  prepare: () => {},
  args: (prompt) => [
    "-p",
    "--verbose",
    "--output-format",
    "stream-json",
    "--model",
    model,
    "--dangerously-skip-permissions",
    prompt,
  ],
  model,
  responseIds: "the-model's",
  addsToResults: /\n\n<system-reminder>[\s\S]*?<\/system-reminder>/g,
  tools: {
    shell: (command, ends) => ({
      tool: "Bash",
      arguments: { command, description: "Run a command" },
      does: "exec",
      ends,
    }),
    write: (path, content, ends) => ({
      tool: "Write",
      arguments: { file_path: path, content },
      does: "edit",
      path,
      ends,
    }),
    read: (path, ends) => ({ tool: "Read", arguments: { file_path: path }, does: "read", path, ends }),
    edit: (path, before, after, ends) => ({
      tool: "Edit",
      arguments: { file_path: path, old_string: before, new_string: after, replace_all: false },
      does: "edit",
      path,
      ends,
    }),
  },
  helper: {
    calls: (prompt) => [
      {
        tool: "Agent",
        // Without this it would go on in the background.
        arguments: {
          description: "Count lines",
          prompt,
          subagent_type: "general-purpose",
          run_in_background: false,
        },
        does: "other",
        ends: { outcome: "ok" },
      },
    ],
  },
  totalCostOf: priced,
  stream: {
    calls: "as-asked",
    tokens: "placeholder",
    model: true,
    retries: [401, 429, 500],
    helper: "started",
    interruptedCall: "error",
    interruptedTokens: true,
    interruption: true,
    answer: true,
  },
  transcript: {
    calls: "as-asked",
    tokens: "response",
    model: true,
    retries: [401, 429, 500],
    helper: "whole",
    interruptedCall: "error",
    interruptedTokens: true,
    interruption: true,
    answer: false,
  },
};
