import { type Kind, option, promptWord } from "./kind.ts";

/** `crush run` prints the final text only; its record is its database. */
export const crush: Kind = {
  name: "crush",
  agent: "crush",
  program: "crush",
  aliases: [],
  limitsTurns: false,
  promptArgs: ({ prompt, model, autoAccept, extra }) => [
    ...(autoAccept ? ["--yolo"] : []),
    "run",
    "--quiet",
    ...option("--model", model),
    ...extra,
    promptWord(prompt),
  ],
  residentLacks: ["model"],
  residentArgs: ({ autoAccept, extra }) => [...(autoAccept ? ["--yolo"] : []), ...extra],
};
