import { HarnessError } from "../base/errors.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import { launchOf } from "../config/launch.ts";
import { isReadable } from "../kinds/readable.ts";
import { agentKinds } from "../kinds/registry.ts";

/** Refuses to start what loads but is not built yet. Nothing is recorded: nothing was due. */
export const checkStartable = (definition: HarnessDefinition): void => {
  const why = whyNot(definition);
  if (why === undefined) return;
  const startable = agentKinds.filter(isReadable).map(({ name }) => name);
  throw new HarnessError("not_built", `${definition.name} cannot be started by this version: ${why}.`, {
    hint: `this version starts prompts of ${startable.join(", ")}`,
  });
};

const whyNot = (definition: HarnessDefinition): string | undefined => {
  const launch = launchOf(definition);
  const { kind, prompt } = definition;
  const terminal = "which runs on a terminal, and that is not built yet";
  if (launch.on === "pipes") {
    return isReadable(launch.kind) ? undefined : `the stream of ${kind} is not read yet`;
  }
  if (kind === "command") return `it is a command, ${terminal}`;
  return prompt === undefined
    ? `without a prompt it is a resident, ${terminal}`
    : `${kind} writes no structured stream and needs a terminal, which is not built yet`;
};
