import { dirname, join } from "node:path";
import type { FileSystemCapability } from "../capabilities/types.ts";
import { readIfThere } from "./places.ts";

/** A file of instructions. */
export interface ContextFile {
  path: string;
  text: string;
}

/** Of one folder the first that is there counts. */
const NAMES = ["AGENTS.md", "CLAUDE.md"];

const contextIn = async (fs: FileSystemCapability, folder: string): Promise<ContextFile | undefined> => {
  for (const name of NAMES) {
    const path = join(folder, name);
    const text = await readIfThere(fs, path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
};

/** Instructions for agents: the user's own, then those of each folder from the root down to the working directory. */
export const contextFiles = async (
  fs: FileSystemCapability,
  agentFolder: string,
  cwd: string,
): Promise<ContextFile[]> => {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  const found: ContextFile[] = [];
  for (const folder of [agentFolder, ...folders]) {
    const file = await contextIn(fs, folder);
    if (file !== undefined && !found.some(({ path }) => path === file.path)) found.push(file);
  }
  return found;
};
