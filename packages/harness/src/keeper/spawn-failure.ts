import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { SpawnFailure, SpawnSpec } from "../protocol/keeper.ts";

export const noFolder = (cwd: string): SpawnFailure => ({
  reason: "workdir_missing",
  code: "ENOENT",
  message: `the working directory ${cwd} does not exist`,
});

export const keeperFull = (runs: number): SpawnFailure => ({
  reason: "keeper_full",
  code: "EAGAIN",
  message: `${runs} runs are held already, and no more fit`,
});

/** Says in words what a failed spawn's error number leaves open. */
export const failureOf = (error: unknown, spec: SpawnSpec): SpawnFailure => {
  const code = codeOf(error);
  if (code === "ENOENT" && found(spec)) {
    return {
      reason: "interpreter_missing",
      code,
      message: `the interpreter that ${spec.file} names is missing`,
    };
  }
  if (code === "ENOENT") {
    const where = spec.file.includes("/") ? "does not exist" : "is not on the run's PATH";
    return { reason: "program_not_found", code, message: `${spec.file} ${where}` };
  }
  if (code === "EACCES") {
    return { reason: "program_not_executable", code, message: `${spec.file} may not be executed` };
  }
  return { reason: "other", code, message: error instanceof Error ? error.message : String(error) };
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN";

/** Where a program lies, as the system would find it on the PATH of `env`. Throws what {@link failureOf} puts in words. */
export const programPath = (spec: SpawnSpec): string => {
  const { file, cwd, env } = spec;
  const places = file.includes("/")
    ? [isAbsolute(file) ? file : join(cwd, file)]
    : (env["PATH"] ?? "").split(":").flatMap((folder) => (folder === "" ? [] : [join(folder, file)]));
  const found = places.filter((place) => statSync(place, { throwIfNoEntry: false })?.isFile() === true);
  const usable = found.find(isExecutable);
  if (usable === undefined) throw systemError(found.length === 0 ? "ENOENT" : "EACCES");
  if (!hasInterpreter(usable)) throw systemError("ENOENT");
  return usable;
};

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Longest first line that Linux reads of a script. */
const SHEBANG_BYTES = 256;

/** Whether the program a script's first line names is there; a program that is no script needs none. */
const hasInterpreter = (path: string): boolean => {
  const head = Buffer.alloc(SHEBANG_BYTES);
  let length = 0;
  try {
    const fd = openSync(path, "r");
    length = readSync(fd, head, 0, SHEBANG_BYTES, 0);
    closeSync(fd);
  } catch {
    // A program may be executable without being readable.
  }
  const interpreter = /^#![ \t]*(\S+)/.exec(head.toString("latin1", 0, length))?.[1];
  return interpreter === undefined || existsSync(interpreter);
};

const found = ({ file, cwd, env }: SpawnSpec): boolean => {
  if (file.includes("/")) return existsSync(isAbsolute(file) ? file : join(cwd, file));
  return (env["PATH"] ?? "").split(":").some((folder) => folder !== "" && existsSync(join(folder, file)));
};
