import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { importsOf, type ImportSite } from "./imports.ts";
import { injectedWorlds, maskFiles, moduleRules, packageRules, roomRules } from "./rules.ts";

const isTestCode = (path: string): boolean => /\.test\.ts$|(^|\/)testing\//.test(path);

/** `record/intake.ts` → the most exact room that has a row: `record/intake.ts`, else `record`. */
const roomOf = (path: string, rooms: Readonly<Record<string, readonly string[]>>): string => {
  if (rooms[path] !== undefined) return path;
  return path.split("/", 1)[0] ?? path;
};

const mayImport = (allowed: readonly string[], path: string, room: string): boolean => {
  if (allowed.includes(`!${room}`)) return false;
  return allowed.includes("*") || allowed.includes(room) || allowed.includes(path);
};

/** A library's name without the path inside it; our own packages keep theirs. */
const moduleName = (specifier: string): string => {
  if (specifier.startsWith("@orphus/") || specifier.startsWith("node:")) return specifier;
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? specifier);
};

const checkRoom = (site: ImportSite, src: string, packageName: string): string | undefined => {
  const rooms = roomRules[packageName];
  if (rooms === undefined) return undefined;
  const from = relative(src, site.file).split(sep).join("/");
  const to = relative(src, resolve(dirname(site.file), site.specifier))
    .split(sep)
    .join("/");
  if (to.startsWith("..")) return `imports ${site.specifier}, outside its package`;
  const fromRoom = roomOf(from, rooms);
  const toRoom = roomOf(to, rooms);
  const allowed = rooms[fromRoom];
  if (fromRoom === toRoom || from.split("/")[0] === to.split("/")[0]) {
    // Inside one room everything may import everything, but a file with a row of its own keeps to it.
    return allowed !== undefined && fromRoom.includes("/") && !mayImport(allowed, to, toRoom)
      ? `${fromRoom} may not import ${to}`
      : undefined;
  }
  if (allowed === undefined) {
    return packageName === "harness"
      ? `the room ${fromRoom} has no row in scripts/boundaries/rules.ts`
      : undefined;
  }
  return mayImport(allowed, to, toRoom) ? undefined : `the room ${fromRoom} may not import ${to}`;
};

const checkWorld = (site: ImportSite, src: string, packageName: string): string | undefined => {
  const world = injectedWorlds[packageName];
  if (world === undefined || !isBuiltin(site.specifier) || isTestCode(site.file)) return undefined;
  const from = relative(src, site.file).split(sep).join("/");
  if (from.startsWith(world.room) || world.allowed.includes(site.specifier)) return undefined;
  return `${site.specifier} reaches the world, which ${world.room} alone may`;
};

const checkModule = (site: ImportSite, src: string, packageName: string): string | undefined => {
  const name = moduleName(site.specifier);
  // A package may know itself by the name its users import.
  const isOwn = name === `@orphus/${packageName}`;
  if (name.startsWith("@orphus/") && !isOwn && !(packageRules[packageName] ?? []).includes(name)) {
    return `the package ${packageName} may not import ${name}`;
  }
  const reach = checkWorld(site, src, packageName);
  if (reach !== undefined) return reach;
  const rooms = moduleRules[packageName]?.[name];
  const room = relative(src, site.file).split(sep)[0] ?? "";
  if (rooms === undefined || rooms.includes(room) || isTestCode(site.file)) return undefined;
  return `${name} may be imported in ${rooms.join(", ")} only`;
};

/** The mask's own text in code, comments aside: whoever writes it puts it in the place of something. */
const WRITES_MASK = /^(?!\s*(?:\/\/|\/?\*)).*["'`][^"'`]*\[(?:REDACTED|redacted|MASKED|masked)\]/;

/** Lines of a file that mask without the redactor. */
const privateMasks = (root: string, file: string): string[] => {
  const name = relative(root, file).split(sep).join("/");
  if (isTestCode(name) || maskFiles.some((known) => name.startsWith(known))) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, at) =>
      WRITES_MASK.test(line) ? [`${name}:${at + 1}: only @orphus/agent-trace/redact masks`] : [],
    );
};

/** Every broken rule under `root`, one line each, naming both sides. */
export const brokenRules = (root: string): string[] => {
  const problems: string[] = [];
  for (const packageName of Object.keys(packageRules)) {
    const src = join(root, "packages", packageName, "src");
    for (const name of globSync("**/*.ts", { cwd: src })) {
      const file = join(src, name);
      problems.push(...privateMasks(root, file));
      for (const site of importsOf(file)) {
        const isRelative = site.specifier.startsWith(".");
        const problem = isRelative
          ? isTestCode(file)
            ? undefined
            : checkRoom(site, src, packageName)
          : checkModule(site, src, packageName);
        if (problem !== undefined) problems.push(`${relative(root, file)}:${site.line}: ${problem}`);
      }
    }
  }
  return problems;
};
