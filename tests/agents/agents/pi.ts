import { join } from "node:path";
import { prices, priced, put, unusedKey, type Place, type RealAgent, type Tools } from "./real-agent.ts";

const model = "scripted-model";

/** The model list of pi and omp: one provider, with prices of its own. */
export const modelList = (api: string, baseUrl: string): object => ({
  providers: {
    scripted: {
      baseUrl,
      api,
      apiKey: unusedKey,
      models: [
        {
          id: model,
          name: "Scripted",
          reasoning: false,
          input: ["text"],
          cost: prices,
          contextWindow: 200_000,
          maxTokens: 8192,
        },
      ],
    },
  },
});

export const piTools: Tools = {
  shell: (command, ends) => ({ tool: "bash", arguments: { command }, does: "exec", ends }),
  write: (path, content, ends) => ({ tool: "write", arguments: { path, content }, does: "edit", path, ends }),
  read: (path, ends) => ({ tool: "read", arguments: { path }, does: "read", path, ends }),
  edit: (path, before, after, ends) => ({
    tool: "edit",
    arguments: { path, edits: [{ oldText: before, newText: after }] },
    does: "edit",
    path,
    ends,
  }),
};

export const pi: RealAgent = {
  name: "pi",
  program: "pi",
  packages: [{ name: "@earendil-works/pi-coding-agent", version: "1.6.0" }],
  command: (modules) => [process.execPath, join(modules, ".bin", "pi")],
  environment: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" }),
  prepare: ({ home, modelUrl }: Place) =>
    put(home, ".pi/agent/models.json", modelList("anthropic-messages", modelUrl)),
  args: (prompt) => ["-p", "--mode", "json", "--provider", "scripted", "--model", model, prompt],
  model,
  modelArgument: `scripted/${model}`,
  responseIds: "the-model's",
  tools: piTools,
  costOf: priced,
  stream: {
    calls: "as-asked",
    tokens: "response",
    model: true,
    retries: [401, 429, 500],
    helper: "nothing",
    interruptedCall: "unanswered",
    interruptedTokens: true,
    interruption: false,
    answer: true,
  },
  transcript: {
    calls: "as-asked",
    tokens: "response",
    model: true,
    retries: [401, 429, 500],
    helper: "nothing",
    interruptedCall: "unanswered",
    interruptedTokens: true,
    interruption: false,
    answer: true,
  },
};
