import { resolve } from "node:path";
import { ToolError } from "./tool.ts";
import type { RunningCall } from "./define.ts";

/** A path as the model gave it, made absolute. */
export const absolute = (path: string, { cwd }: RunningCall): string => resolve(cwd, path);

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EISDIR: "is a directory",
  ENOTDIR: "a part of the path is not a directory",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
};

/** Runs a file operation; a failure of the system becomes one the model can read. */
export const onFile = async <T>(path: string, operation: Promise<T>): Promise<T> => {
  try {
    return await operation;
  } catch (error) {
    const code =
      error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
    if (code === undefined) throw error;
    throw new ToolError(code, `${path}: ${REASONS[code] ?? "failed"} (${code})`);
  }
};
