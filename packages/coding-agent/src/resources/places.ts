import { join, relative } from "node:path";
import type { FileSystemCapability, ProcessCapability } from "../capabilities/types.ts";

/** Name of the folder in a project that holds what belongs to orphus. */
export const PROJECT_FOLDER = ".orphus";

/** Reads a file that need not be there. */
export const readIfThere = async (fs: FileSystemCapability, path: string): Promise<string | undefined> => {
  const found = await fs.stat(path);
  return found === undefined || found.isDirectory ? undefined : fs.readFile(path);
};

/** Names in a folder that need not be there, sorted. */
export const namesIn = async (fs: FileSystemCapability, folder: string): Promise<string[]> =>
  (await fs.stat(folder))?.isDirectory === true ? fs.readdir(folder) : [];

const inside = (folder: string, path: string): string | undefined => {
  const way = relative(folder, path);
  return way === "" || way.startsWith("..") ? undefined : way;
};

/** A path as reports name it: the same on every machine where the user's folders are alike. */
export const displayPath = (path: string, cwd: string, { env }: ProcessCapability): string => {
  const here = inside(cwd, path);
  if (here !== undefined) return here;
  const atHome = env["HOME"] === undefined ? undefined : inside(env["HOME"], path);
  return atHome === undefined ? path : join("~", atHome);
};
