import { isAbsolute, join, resolve } from "node:path";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { NamedExtension } from "../extensions/load.ts";
import type { ExtensionFactory } from "../extensions/runner.ts";
import { isObject } from "../json.ts";
import { displayPath, namesIn } from "./places.ts";

export type ExtensionSource = "user" | "project" | "settings" | "command-line";

/** A file that holds an extension, and who named it. */
export interface ExtensionFile {
  path: string;
  source: ExtensionSource;
}

const isModule = (name: string): boolean => /\.(?:ts|mts|js|mjs)$/u.test(name) && !name.endsWith(".d.ts");

const INDEXES = ["index.ts", "index.mts", "index.js", "index.mjs"];

/** The extensions of a folder, sorted by name: modules, and folders with an index module. */
export const extensionsIn = async (
  { fs }: HarnessCapabilities,
  folder: string,
  source: ExtensionSource,
): Promise<ExtensionFile[]> => {
  const found: ExtensionFile[] = [];
  for (const name of await namesIn(fs, folder)) {
    const path = join(folder, name);
    if ((await fs.stat(path))?.isDirectory === true) {
      const names = await namesIn(fs, path);
      const index = INDEXES.find((one) => names.includes(one));
      if (index !== undefined) found.push({ path: join(path, index), source });
    } else if (isModule(name)) found.push({ path, source });
  }
  return found;
};

/** Extensions that a settings file or the command line names. */
export const namedExtensions = (
  paths: readonly string[],
  base: string,
  source: ExtensionSource,
): ExtensionFile[] => paths.map((path) => ({ path: isAbsolute(path) ? path : resolve(base, path), source }));

const factoryIn = (module: unknown): ExtensionFactory | undefined => {
  const exported = isObject(module) || typeof module === "object" ? Object(module) : {};
  for (const found of [exported["default"], exported["extension"]])
    if (typeof found === "function") return (api) => found(api);
  return undefined;
};

/**
 * Loads the code of extensions. A file that two places name is loaded once. Throws for one that cannot be loaded or
 * exports no function: an agent without its gate is not the agent that was asked for.
 */
export const loadExtensions = async (
  { fs, process }: HarnessCapabilities,
  cwd: string,
  files: readonly ExtensionFile[],
): Promise<NamedExtension[]> => {
  const seen = new Set<string>();
  const loaded: NamedExtension[] = [];
  for (const { path, source } of files) {
    if (seen.has(path)) continue;
    seen.add(path);
    const name = displayPath(path, cwd, process);
    if ((await fs.stat(path)) === undefined) throw new Error(`extension ${name}: no such file`);
    let module: unknown;
    try {
      module = await process.loadModule(path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`extension ${name} cannot be loaded: ${reason}`, { cause: error });
    }
    const factory = factoryIn(module);
    if (factory === undefined)
      throw new Error(`extension ${name} exports no function; write: export default (orphus) => { … }`);
    loaded.push({ name, source, factory });
  }
  return loaded;
};
