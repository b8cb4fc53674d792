import { dirname, join, resolve } from "node:path";
import type { FileSystemCapability } from "../capabilities/types.ts";

const readIfThere = async (fs: FileSystemCapability, path: string): Promise<string | undefined> => {
  try {
    return await fs.readFile(path);
  } catch {
    return undefined;
  }
};

/** The branch that is checked out at a folder; undefined outside a repository and with a detached head. */
export const gitBranch = async (fs: FileSystemCapability, cwd: string): Promise<string | undefined> => {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const dotGit = join(folder, ".git");
    // A linked worktree has a file there that names its folder.
    const link = /^gitdir: (.+)$/mu.exec((await readIfThere(fs, dotGit)) ?? "")?.[1];
    const head = await readIfThere(fs, join(link === undefined ? dotGit : resolve(folder, link), "HEAD"));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/mu.exec(head)?.[1];
    if (folder === dirname(folder)) return undefined;
  }
};
