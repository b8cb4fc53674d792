import { resolve } from "node:path";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { createScriptedProvider, type ScriptedProvider } from "../provider/scripted/provider.ts";
import { parseScript, ScriptError } from "../provider/scripted/script.ts";
import type { RuntimeOptions } from "./runtime-options.ts";

const readScript = async (path: string, { fs, process }: HarnessCapabilities) => {
  const file = resolve(process.cwd, path);
  let text: string;
  try {
    text = await fs.readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ScriptError(`${path}: the script cannot be read: ${reason}`);
  }
  return parseScript(text, path);
};

/** The scripted model differs from any other in its transport alone. Undefined when none is asked for. */
export const chooseScripted = async (
  { model, script }: RuntimeOptions,
  capabilities: HarnessCapabilities,
): Promise<{ model: ScriptedProvider; transport: ScriptedProvider["transport"] } | undefined> => {
  if (script === undefined) return undefined;
  const file = await readScript(script, capabilities);
  const { clock, process } = capabilities;
  const described = model === undefined ? file.model : { ...file.model, id: model };
  const scripted = createScriptedProvider(file.turns, { clock, random: process.randomBytes }, described);
  return { model: scripted, transport: scripted.transport };
};
