import { dirname, join } from "node:path";
import type { FileSystemCapability } from "../capabilities/types.ts";
import { isObject, parseJson } from "../json.ts";
import { readIfThere } from "./places.ts";

/** The user's decisions, by absolute folder: `{"/home/me/shop": true}`. */
const trustFile = (agentFolder: string): string => join(agentFolder, "trust.json");

const readDecisions = async (fs: FileSystemCapability, path: string): Promise<Record<string, unknown>> => {
  const text = await readIfThere(fs, path);
  if (text === undefined) return {};
  const parsed = parseJson(text);
  if (!isObject(parsed)) throw new Error(`${path}: not an object of folders; mend or remove it.`);
  return parsed;
};

/** Whether the user has said that what lies in a project may run. The nearest folder decides; undecided is no. */
export const isTrusted = async (
  fs: FileSystemCapability,
  agentFolder: string,
  cwd: string,
): Promise<boolean> => {
  const decisions = await readDecisions(fs, trustFile(agentFolder));
  for (let folder = cwd; ; folder = dirname(folder)) {
    const decision = Object.hasOwn(decisions, folder) ? decisions[folder] : undefined;
    if (typeof decision === "boolean") return decision;
    if (folder === dirname(folder)) return false;
  }
};

/** Keeps a decision. */
export const decideTrust = async (
  fs: FileSystemCapability,
  agentFolder: string,
  folder: string,
  trusted: boolean,
): Promise<void> => {
  const path = trustFile(agentFolder);
  const decisions = { ...(await readDecisions(fs, path)), [folder]: trusted };
  await fs.mkdir(agentFolder, { recursive: true, mode: 0o700 });
  await fs.writeFile(`${path}.new`, `${JSON.stringify(decisions, null, 2)}\n`, { mode: 0o600 });
  await fs.rename(`${path}.new`, path);
};
