import { type Kind, option, promptWord } from "./kind.ts";

/** Orphus asks for nothing, so `auto_accept` has no flag. */
export const orphus: Kind = {
  name: "orphus",
  agent: "orphus",
  program: "orphus",
  aliases: [],
  stream: "json",
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
