import { type Kind, option, promptWord } from "./kind.ts";

export const codex: Kind = {
  name: "codex",
  agent: "codex",
  program: "codex",
  aliases: [],
  stream: "codex-exec",
  limitsTurns: false,
  promptArgs: ({ prompt, model, autoAccept, extra }) => [
    "exec",
    "--json",
    // An unattended run has nobody to declare its folder trusted, and outside a repository `exec` would refuse to start.
    "--skip-git-repo-check",
    ...(autoAccept ? ["--dangerously-bypass-approvals-and-sandbox"] : []),
    ...option("--model", model),
    ...extra,
    promptWord(prompt),
  ],
  residentLacks: [],
  residentArgs: ({ model, autoAccept, extra }) => [
    // Without it a server stays behind that outlives the program, and the run's group with it.
    "--no-daemon",
    ...(autoAccept ? ["--dangerously-bypass-approvals-and-sandbox"] : []),
    ...option("--model", model),
    ...extra,
  ],
};
