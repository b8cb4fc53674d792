import { type Kind, option, promptWord } from "./kind.ts";

export const omp: Kind = {
  name: "omp",
  agent: "omp",
  program: "omp",
  aliases: [],
  stream: "omp-json",
  limitsTurns: false,
  promptArgs: ({ prompt, model, autoAccept, extra }) => [
    "-p",
    "--mode",
    "json",
    ...(autoAccept ? ["--auto-approve"] : []),
    ...option("--model", model),
    ...extra,
    promptWord(prompt),
  ],
  residentLacks: [],
  residentArgs: ({ model, autoAccept, extra }) => [
    ...(autoAccept ? ["--auto-approve"] : []),
    ...option("--model", model),
    ...extra,
  ],
};
