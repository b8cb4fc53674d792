import { resolve as absolute } from "node:path";
import { type AgentSessionOptions, createAgentSession } from "../agent/create.ts";
import type { AgentSession } from "../agent/session.ts";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { ModelSelection } from "../provider/catalog.ts";
import { loadResources, type Resources } from "../resources/load.ts";
import { policyOf } from "../resources/permissions.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import { chooseScripted } from "./scripted.ts";

/** What a command makes of the runtime that is not the user's to say. */
export interface BootOptions extends Pick<
  AgentSessionOptions,
  "session" | "approver" | "transport" | "newRequestId" | "recordedResult" | "settings"
> {
  /** Fails where no model is chosen. */
  needsModel?: boolean;
  /** Chooses none, whatever the settings say. */
  noModel?: boolean;
}

/** The model of the command line over that of the settings. `--model provider/id` names both. */
const selectModel = (
  { provider, model }: RuntimeOptions,
  { settings }: Resources,
): ModelSelection | undefined => {
  const id = model ?? settings.model;
  if (id === undefined) return undefined;
  const [, named, rest] = /^([^/]+)\/(.+)$/u.exec(id) ?? [];
  // A slash may as well be part of the model's own name, which is only asked of a provider that is given.
  if (provider === undefined && model !== undefined && named !== undefined && rest !== undefined)
    return { provider: named, model: rest };
  const chosen = provider ?? settings.provider;
  return chosen === undefined ? undefined : { provider: chosen, model: id };
};

const readInstruction = async (
  text: string | undefined,
  { fs, process }: HarnessCapabilities,
): Promise<string | undefined> => {
  if (text === undefined || !text.startsWith("@")) return text;
  return fs.readFile(absolute(process.cwd, text.slice(1)));
};

/** Loads what lies in the user's and the project's folders, and composes the session that every command uses. */
export const boot = async (
  options: RuntimeOptions,
  capabilities: HarnessCapabilities,
  { needsModel = false, noModel = false, ...own }: BootOptions,
): Promise<{ session: AgentSession; resources: Resources }> => {
  const { cwd } = capabilities.process;
  const resources = await loadResources(capabilities, cwd, options.resources);
  const { settings } = resources;
  const scripted = await chooseScripted(options, capabilities);
  const model = noModel ? undefined : (scripted?.model ?? selectModel(options, resources));
  if (needsModel && model === undefined)
    throw new Error(
      "no model is chosen: give --model PROVIDER/MODEL, such as --model anthropic/claude-sonnet-4-5",
    );
  const transport = own.transport ?? scripted?.transport;
  const tools = options.tools ?? settings.tools;
  const replace = await readInstruction(options.systemPrompt, capabilities);
  const append = await readInstruction(options.appendSystemPrompt, capabilities);
  const { session } = await createAgentSession({
    capabilities,
    cwd,
    ...own,
    ...(model === undefined ? {} : { model }),
    ...(transport === undefined ? {} : { transport }),
    ...(tools === undefined ? {} : { tools }),
    thinkingLevel: options.thinking ?? settings.thinkingLevel ?? "off",
    settings: { ...settings, ...own.settings, retry: { ...settings.retry, ...own.settings?.retry } },
    flags: options.flags,
    extensionFactories: resources.extensions,
    policy: policyOf(settings.permissions ?? []),
    instructions: {
      context: resources.context,
      skills: resources.skills,
      ...(replace === undefined ? {} : { replace }),
      ...(append === undefined ? {} : { append }),
    },
  });
  return { session, resources };
};
