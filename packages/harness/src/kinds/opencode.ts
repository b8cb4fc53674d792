import { type Kind, option, promptWord } from "./kind.ts";

export const opencode: Kind = {
  name: "opencode",
  agent: "opencode",
  program: "opencode",
  aliases: [],
  stream: "opencode-json",
  limitsTurns: false,
  promptArgs: ({ prompt, model, autoAccept, extra }) => [
    "run",
    "--format",
    "json",
    ...(autoAccept ? ["--auto"] : []),
    ...option("--model", model),
    ...extra,
    promptWord(prompt),
  ],
  residentLacks: ["auto_accept"],
  residentArgs: ({ model, extra }) => [...option("--model", model), ...extra],
};
