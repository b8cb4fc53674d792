import { join, resolve } from "node:path";

/** Makes a path of a configuration file absolute. */
export type ResolvePath = (path: string) => string;

/** `~` is the home directory; a relative path begins at the folder of the file that names it. */
export const pathsFrom =
  (folder: string, home: string): ResolvePath =>
  (path) => {
    if (path === "~") return home;
    return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(folder, path);
  };
