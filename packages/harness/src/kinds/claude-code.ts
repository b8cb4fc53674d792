import { type Kind, option, promptWord } from "./kind.ts";

export const claudeCode: Kind = {
  name: "claude-code",
  agent: "claude-code",
  program: "claude",
  aliases: ["claude"],
  stream: "stream-json",
  limitsTurns: true,
  promptArgs: ({ prompt, model, autoAccept, maxTurns, extra }) => [
    "-p",
    ...(autoAccept ? ["--dangerously-skip-permissions"] : []),
    ...option("--model", model),
    ...option("--max-turns", maxTurns > 0 ? String(maxTurns) : undefined),
    // Without --verbose the program refuses stream-json in print mode.
    "--verbose",
    "--output-format",
    "stream-json",
    ...extra,
    promptWord(prompt),
  ],
  residentLacks: [],
  residentArgs: ({ model, autoAccept, extra }) => [
    ...(autoAccept ? ["--dangerously-skip-permissions"] : []),
    ...option("--model", model),
    ...extra,
  ],
};
