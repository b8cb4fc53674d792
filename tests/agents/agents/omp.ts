import { join } from "node:path";
import { modelList, piTools } from "./pi.ts";
import { platform, priced, put, type RealAgent } from "./real-agent.ts";

const model = "scripted-model";

export const omp: RealAgent = {
  name: "omp",
  program: "omp",
  packages: [
    { name: "@oh-my-pi/pi-coding-agent", version: "18.2.3" },
    { name: "bun", version: "1.4.5" },
  ],
  command: (modules) => [
    join(modules, "@oven", `bun-${platform}`, "bin", "bun"),
    join(modules, "@oh-my-pi", "pi-coding-agent", "dist", "cli.js"),
  ],
  environment: () => ({ PI_OFFLINE: "1" }),
  // Its file is YAML, and so JSON as well.
  prepare: ({ home, modelUrl }) =>
    put(home, ".omp/agent/models.yml", modelList("openai-completions", `${modelUrl}/v1`)),
  args: (prompt) => ["-p", "--mode", "json", "--model", `scripted/${model}`, "--auto-approve", prompt],
  model,
  modelArgument: `scripted/${model}`,
  responseIds: "the-model's",
  tools: {
    ...piTools,
    // Its editing tool wants anchors that only its own reader gives out; it writes the file anew.
    edit: (path, before, after, ends) => piTools.write(path, `${after}\n(not ${before})\n`, ends),
  },
  costOf: priced,
  stream: {
    calls: "as-asked",
    tokens: "response",
    model: true,
    retries: [],
    helper: "nothing",
    interruptedCall: "error",
    interruptedTokens: true,
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
