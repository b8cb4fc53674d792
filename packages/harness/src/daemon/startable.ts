import { HarnessError } from "../base/errors.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import { launchOf } from "../config/launch.ts";

/** Refuses to start what loads but is not built yet. Nothing is recorded: nothing was due. */
export const checkStartable = (definition: HarnessDefinition): void => {
  if (launchOf(definition).on === "pipes") return;
  throw new HarnessError(
    "not_built",
    `${definition.name} cannot be started by this version: ${what(definition)}.`,
    {
      hint: "this version starts prompts of claude-code, codex, opencode, pi, omp and orphus",
    },
  );
};

const what = ({ kind, prompt }: HarnessDefinition): string => {
  if (kind === "command") return "command harnesses run on a terminal, which is not built yet";
  if (prompt === undefined)
    return "without a prompt it is a resident, which runs on a terminal, which is not built yet";
  return `${kind} writes no structured stream, so it runs on a terminal, which is not built yet`;
};
