import { posix } from "node:path";
import type { LocateContext } from "../../agent.ts";
import { object, objects, text } from "../../jsonline.ts";
import { jsonValues } from "../../json-values.ts";

/**
 * Crush keeps a database in each project, and a list of its projects. The list is written without a lock: what stands
 * behind its first JSON value is left over from another writer.
 */
export const locateCrush = ({ home, env, cwd, read }: LocateContext): string[] => {
  const list = posix.join(globalFolder(home, env), "projects.json");
  const [registry] = jsonValues(read?.(list) ?? "").values;
  const projects = objects(Array.isArray(registry) ? registry : object(registry)?.["projects"]);
  const listed = projects.flatMap((project) => {
    const path = text(project["path"]);
    const folder = text(project["data_dir"]) ?? ".crush";
    if (path === undefined) return posix.isAbsolute(folder) ? [posix.join(folder, "crush.db")] : [];
    return [posix.join(posix.resolve(path, folder), "crush.db")];
  });
  const here = cwd === undefined ? [] : [posix.join(cwd, ".crush", "crush.db")];
  return [...new Set([...here, ...listed])];
};

const globalFolder = (home: string, env: LocateContext["env"]): string =>
  env["CRUSH_GLOBAL_DATA"] ??
  posix.join(env["XDG_DATA_HOME"] ?? posix.join(home, ".local", "share"), "crush");
