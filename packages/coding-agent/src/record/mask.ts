import { delimiter, resolve } from "node:path";
import { createRedactor, parseRuleFile, type Redactor, type RuleFile } from "@orphus/agent-trace/redact";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { secretValues } from "./secrets.ts";

/** Rule files that mask beside the built-in rules: paths, separated as in `PATH`. */
const ENV_REDACT_RULES = "ORPHUS_REDACT_RULES";

/** Reads the operator's rule files. Throws an error that names the file, and the line where it is known. */
const readRules = async ({ fs, process }: HarnessCapabilities): Promise<RuleFile[]> => {
  const files = (process.env[ENV_REDACT_RULES] ?? "").split(delimiter).filter((file) => file !== "");
  return Promise.all(
    files.map(async (file) => {
      try {
        return parseRuleFile(await fs.readFile(resolve(process.cwd, file)));
      } catch (error) {
        const line = error instanceof Error && "line" in error ? error.line : undefined;
        const at = typeof line === "number" ? `${file}:${line}` : file;
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${ENV_REDACT_RULES}: ${at}: ${reason}`, { cause: error });
      }
    }),
  );
};

/**
 * The redactor of a process: the built-in rules, the operator's, and values of the environment that are secret by their
 * name. `idPaths` are where lines of JSON hold ids.
 */
export const openRedactor = async (
  capabilities: HarnessCapabilities,
  idPaths: readonly string[] = [],
): Promise<Redactor> =>
  createRedactor({
    values: secretValues(capabilities.process.env),
    idPaths,
    rules: await readRules(capabilities),
  });

/** The same world, in which what goes to the terminal's error output is masked: a complaint may quote anything. */
export const withMaskedErrors = (capabilities: HarnessCapabilities): HarnessCapabilities => {
  const { terminal, process } = capabilities;
  let redactor: Redactor | undefined;
  return {
    ...capabilities,
    terminal: {
      ...terminal,
      writeError: (text) => {
        redactor ??= createRedactor({ values: secretValues(process.env) });
        terminal.writeError(redactor.redact(text));
      },
    },
  };
};
