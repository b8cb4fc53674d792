import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Every file under a folder, absolute. */
export const filesUnder = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Files under a folder whose bytes hold `needle`. */
export const filesHolding = (dir: string, needle: string): string[] =>
  filesUnder(dir).filter((file) => readFileSync(file).includes(needle));

/** Permission bits, such as 0o600. */
export const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Whether a process is there and is not a zombie. Linux only. */
export const isAlive = (pid: number): boolean => {
  const stat = `/proc/${pid}/stat`;
  if (!existsSync(stat)) return false;
  try {
    const text = readFileSync(stat, "utf8");
    return text.slice(text.lastIndexOf(")") + 2, text.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
};

/** Lines of JSON Lines text, parsed. */
export const jsonLines = (text: string): unknown[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
