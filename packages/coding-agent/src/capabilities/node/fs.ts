import { createReadStream } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileSystemCapability } from "../types.ts";

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

/** A new name is safe only when its folder is on the disk as well. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** The file system of the machine. */
export const createNodeFileSystem = (): FileSystemCapability => ({
  kind: "node-fs",
  readFile: (path) => readFile(path, "utf8"),
  // With an encoding a stream gives strings, whose characters are whole.
  readPieces: (path): AsyncIterable<string> => createReadStream(path, { encoding: "utf8" }),
  writeFile: (path, data, options = {}) => writeFile(path, data, { encoding: "utf8", ...options }),
  async appendFile(path, data, options = {}) {
    const file = await open(path, "a", options.mode ?? 0o600);
    try {
      const isNew = options.sync === true && (await file.stat()).size === 0;
      await file.appendFile(data, "utf8");
      if (options.sync === true) await file.sync();
      if (isNew) await syncFolder(dirname(path));
    } finally {
      await file.close();
    }
  },
  async mkdir(path, options = {}) {
    await mkdir(path, options);
  },
  async stat(path) {
    try {
      const found = await stat(path);
      return {
        size: found.size,
        mode: found.mode & 0o777,
        isDirectory: found.isDirectory(),
        modifiedMs: found.mtimeMs,
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async readdir(path) {
    return (await readdir(path)).sort();
  },
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { force: true, recursive: true }),
});
