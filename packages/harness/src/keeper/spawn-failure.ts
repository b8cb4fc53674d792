import { existsSync } from "node:fs";
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

const found = ({ file, cwd, env }: SpawnSpec): boolean => {
  if (file.includes("/")) return existsSync(isAbsolute(file) ? file : join(cwd, file));
  return (env["PATH"] ?? "").split(":").some((folder) => folder !== "" && existsSync(join(folder, file)));
};
