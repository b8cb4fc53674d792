import { join, relative } from "node:path";
import type { FileSystemCapability } from "../capabilities/types.ts";

/** Never looked into: what lies there is nobody's source. */
const SKIPPED = new Set([".git", "node_modules"]);

/** All files under a folder, by their path relative to it, sorted; a file alone is itself. Ends when the signal does. */
export async function* filesUnder(
  fs: FileSystemCapability,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<{ path: string; shown: string }> {
  if ((await fs.stat(root))?.isDirectory === false) {
    yield { path: root, shown: root };
    return;
  }
  const waiting = [root];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const inner: string[] = [];
    for (const name of await fs.readdir(folder)) {
      signal.throwIfAborted();
      const path = join(folder, name);
      const found = await fs.stat(path);
      if (found === undefined) continue;
      if (!found.isDirectory) yield { path, shown: relative(root, path) };
      else if (!SKIPPED.has(name)) inner.push(path);
    }
    waiting.push(...inner.toReversed());
  }
}

/** A pattern of file names as a regular expression: `*` and `?` within a name, `**` across folders, `{a,b}`. */
export const globExpression = (pattern: string): RegExp => {
  const source = pattern.replaceAll(/\*\*\/?|[*?{},]|[\\^$+.()|[\]]/gu, (mark) => {
    switch (mark) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      case "{":
        return "(?:";
      case "}":
        return ")";
      case ",":
        return pattern.includes("{") ? "|" : ",";
      default:
        return `\\${mark}`;
    }
  });
  // A pattern without a folder is meant for names anywhere.
  return new RegExp(pattern.includes("/") ? `^${source}$` : `(?:^|/)${source}$`, "u");
};
