import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { HarnessError } from "../base/errors.ts";

/**
 * Reads a file of `NAME=value` lines: the one way a secret reaches a run. The file must be a regular one, ours, and
 * readable by nobody else (0600 or 0400). Messages name the line, never a value.
 */
export const readEnvFile = (path: string): Record<string, string> => {
  const fd = open(path);
  try {
    const unfit = unfitness(fstatSync(fd));
    if (unfit !== undefined) throw fault(path, unfit.what, unfit.hint);
    return parseEnvFile(readFileSync(fd, "utf8"), path);
  } finally {
    closeSync(fd);
  }
};

/** All files of a run in order; a later one wins. */
export const readEnvFiles = (paths: readonly string[]): Record<string, string> =>
  Object.assign({}, ...paths.map(readEnvFile));

const open = (path: string): number => {
  try {
    // A FIFO in the file's place must not make the daemon wait for a writer.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw missing
      ? fault(path, "does not exist", `create it with mode 0600, or remove it from env_file`)
      : fault(path, "cannot be read", `check its owner and mode (0600)`, error);
  }
};

const unfitness = (stat: Stats): { what: string; hint: string } | undefined => {
  if (!stat.isFile()) return { what: "is not a regular file", hint: "name a file of NAME=value lines" };
  if (process.getuid !== undefined && stat.uid !== process.getuid()) {
    return { what: "belongs to another user", hint: "make it yours with chown" };
  }
  const mode = stat.mode & 0o7777;
  if (mode !== 0o600 && mode !== 0o400) {
    return {
      what: `has mode 0${mode.toString(8)}; a file of secrets must be 0600 or 0400`,
      hint: "set it with chmod 600",
    };
  }
  return undefined;
};

const assignment = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;

/** Lines of `NAME=value`, an optional `export`, `#` comments, and values in single or double quotes taken as they are. */
export const parseEnvFile = (text: string, path: string): Record<string, string> => {
  const values: Record<string, string> = {};
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name, value] = assignment.exec(line) ?? [];
    if (name === undefined || value === undefined || value.includes("\0")) {
      throw fault(`${path}:${index + 1}`, "is not NAME=value", "write one NAME=value a line");
    }
    values[name] = unquoted(value);
  }
  return values;
};

const unquoted = (value: string): string => {
  const quote = value[0];
  const closed = value.length >= 2 && value.endsWith(quote ?? "");
  return (quote === '"' || quote === "'") && closed ? value.slice(1, -1) : value;
};

const fault = (path: string, what: string, hint: string, cause?: unknown): HarnessError =>
  new HarnessError("config_invalid", `env_file ${path} ${what}`, { hint, cause });
