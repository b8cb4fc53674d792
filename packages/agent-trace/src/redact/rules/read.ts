import { readFileSync } from "node:fs";
import { parseRuleFile, type RuleFile, RuleFileError } from "./file.ts";

/** Reads rule files. Throws a {@link RuleFileError} that begins with the file and, where it is known, the line. */
export function readRuleFiles(paths: readonly string[]): RuleFile[] {
  return paths.map((path) => {
    try {
      return parseRuleFile(readFileSync(path, "utf8"));
    } catch (error) {
      const line = error instanceof RuleFileError ? error.line : undefined;
      throw new RuleFileError(
        `${path}${line === undefined ? "" : `:${line}`}: ${reason(error)}`,
        line,
        error,
      );
    }
  });
}

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "the rule file does not exist";
  if (code === "EISDIR") return "is a folder, not a rule file";
  if (code === "EACCES") return "the rule file cannot be read";
  return error instanceof Error ? error.message : String(error);
}
