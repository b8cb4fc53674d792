import { type Kind, option, promptWord } from "./kind.ts";

/** pi asks for nothing, so `auto_accept` has no flag. */
export const pi: Kind = {
  name: "pi",
  agent: "pi",
  program: "pi",
  aliases: [],
  stream: "pi-json",
  limitsTurns: false,
  promptArgs: ({ prompt, model, extra }) => [
    "-p",
    "--mode",
    "json",
    ...option("--model", model),
    ...extra,
    promptWord(prompt),
  ],
  residentLacks: [],
  residentArgs: ({ model, extra }) => [...option("--model", model), ...extra],
};
