import { dirname, resolve } from "node:path";
import type { FileSystemCapability } from "../types.ts";

export interface FakeFile {
  data: string;
  mode: number;
}

export interface FakeFileSystem extends FileSystemCapability {
  /** By resolved path. */
  readonly files: Map<string, FakeFile>;
  /** By resolved path, with their modes. Parents of files are folders without being listed. */
  readonly folders: Map<string, number>;
  /** The next write to a path the matcher accepts fails with the error; once. */
  failWrites(matcher: string | RegExp | ((path: string) => boolean), error?: Error): void;
}

const failure = (code: string, action: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${action} '${path}'`), { code });

const accepts = (matcher: string | RegExp | ((path: string) => boolean), path: string): boolean => {
  if (typeof matcher === "function") return matcher(path);
  return typeof matcher === "string" ? path.includes(matcher) : matcher.test(path);
};

/** Files in memory. `seed` maps paths to contents. */
export const createFakeFileSystem = (seed: Readonly<Record<string, string>> = {}): FakeFileSystem => {
  const files = new Map<string, FakeFile>();
  const folders = new Map<string, number>();
  let faults: { matcher: Parameters<FakeFileSystem["failWrites"]>[0]; error: Error }[] = [];
  for (const [path, data] of Object.entries(seed)) files.set(resolve(path), { data, mode: 0o600 });

  const isFolder = (path: string): boolean =>
    folders.has(path) || [...files.keys(), ...folders.keys()].some((other) => other.startsWith(`${path}/`));
  const failIfAsked = (path: string): void => {
    const fault = faults.find(({ matcher }) => accepts(matcher, path));
    if (fault === undefined) return;
    faults = faults.filter((other) => other !== fault);
    throw fault.error;
  };
  const put = (path: string, data: string, mode: number | undefined): void => {
    if (isFolder(path)) throw failure("EISDIR", "write", path);
    files.set(path, { data, mode: files.get(path)?.mode ?? mode ?? 0o600 });
  };

  return {
    kind: "fake",
    files,
    folders,
    failWrites(matcher, error = failure("EIO", "write", String(matcher))) {
      faults.push({ matcher, error });
    },
    async readFile(path) {
      const found = files.get(resolve(path));
      if (found !== undefined) return found.data;
      throw failure(isFolder(resolve(path)) ? "EISDIR" : "ENOENT", "read", path);
    },
    async *readPieces(path) {
      yield await this.readFile(path);
    },
    async writeFile(path, data, options = {}) {
      failIfAsked(resolve(path));
      if (options.flag === "wx" && files.has(resolve(path))) throw failure("EEXIST", "write", path);
      put(resolve(path), data, options.mode);
    },
    async appendFile(path, data, options = {}) {
      failIfAsked(resolve(path));
      put(resolve(path), (files.get(resolve(path))?.data ?? "") + data, options.mode);
    },
    async mkdir(path, options = {}) {
      const folder = resolve(path);
      if (files.has(folder) || (isFolder(folder) && options.recursive !== true))
        throw failure("EEXIST", "mkdir", path);
      if (options.recursive !== true && folder !== dirname(folder) && !isFolder(dirname(folder)))
        throw failure("ENOENT", "mkdir", path);
      if (!folders.has(folder)) folders.set(folder, options.mode ?? 0o777);
    },
    async stat(path) {
      const file = files.get(resolve(path));
      if (file !== undefined) {
        return { size: Buffer.byteLength(file.data), mode: file.mode, isDirectory: false, modifiedMs: 0 };
      }
      if (!isFolder(resolve(path))) return undefined;
      return { size: 0, mode: folders.get(resolve(path)) ?? 0o777, isDirectory: true, modifiedMs: 0 };
    },
    async readdir(path) {
      const folder = resolve(path);
      if (!isFolder(folder)) throw failure(files.has(folder) ? "ENOTDIR" : "ENOENT", "readdir", path);
      const inside = [...files.keys(), ...folders.keys()].filter((other) => other.startsWith(`${folder}/`));
      return [
        ...new Set(
          inside.map((other) =>
            other
              .slice(folder.length + 1)
              .split("/", 1)
              .join(""),
          ),
        ),
      ].sort();
    },
    async rename(from, to) {
      failIfAsked(resolve(to));
      const moved = files.get(resolve(from));
      if (moved === undefined) throw failure("ENOENT", "rename", from);
      files.delete(resolve(from));
      files.set(resolve(to), moved);
    },
    async remove(path) {
      const gone = resolve(path);
      for (const map of [files, folders])
        for (const other of map.keys()) if (other === gone || other.startsWith(`${gone}/`)) map.delete(other);
    },
  };
};
