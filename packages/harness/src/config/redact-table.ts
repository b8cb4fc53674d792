import { readRuleFiles, type RuleFile, RuleFileError } from "@orphus/agent-trace/redact";
import type { ResolvePath } from "./path.ts";
import type { Problem } from "./problem.ts";

/** Reads the rule files that `[redact]` names. What is wrong with one is reported at its place in the list. */
export const readRules = (
  files: readonly string[],
  resolve: ResolvePath,
  problems: Problem[],
): readonly RuleFile[] =>
  files.flatMap((file, index) => {
    try {
      return readRuleFiles([resolve(file)]);
    } catch (error) {
      if (!(error instanceof RuleFileError)) throw error;
      problems.push({ path: ["redact", "rules", index], at: "value", message: error.message });
      return [];
    }
  });
