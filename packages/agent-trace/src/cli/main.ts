import { Argument, Command, CommanderError } from "commander";
import { VERSION } from "../version.ts";
import type { Shell } from "./completion.ts";
import { CliError } from "./load.ts";
import { addReadingVerbs, rules } from "./reading-verbs.ts";
import { tell, writeError } from "./tell.ts";

/** Puts a verb's exit code where the program ends with it. */
export type Exit = (code: number) => void;

const exitCodes =
  "\nExit codes: 0 done, 1 something could not be read or found,\n2 the command line is wrong.";

/** Runs the program and gives its exit code. */
export const runCli = async (args: readonly string[]): Promise<number> => {
  let exitCode = 0;
  const exit: Exit = (code) => {
    exitCode = code;
  };
  const program = new Command("agent-trace")
    .description("reads what coding agents write about themselves into one exact record, with secrets masked")
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeErr: writeError })
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 80, 100), minWidthToWrap: 20 })
    .addHelpText("after", exitCodes);
  addReadingVerbs(program, exit);
  addStreamVerbs(program, exit);
  addCompletion(program, exit);
  if (args.length === 0) {
    program.outputHelp();
    return 2;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CliError) {
      tell(error.message);
      return error.exitCode;
    }
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
};

const addStreamVerbs = (program: Command, exit: Exit): void => {
  program
    .command("normalize")
    .description("read an agent's structured stream on stdin, write one record a line")
    .option("--agent <name>", "whose stream it is", "auto")
    .option(...rules)
    .action(async (options: { agent: string; rules?: string[] }) =>
      exit(await (await import("./normalize.ts")).normalize(options)),
    );
  program
    .command("redact [files...]")
    .description("mask secrets in files or stdin")
    .option("--json-lines", "lines are JSON and stay valid JSON")
    .option("--findings", "print where secrets are, never the secrets")
    .option(...rules)
    .option("--rules-version", "print version and hash of the rules")
    .action(
      async (
        files: string[],
        options: { jsonLines?: boolean; findings?: boolean; rules?: string[]; rulesVersion?: boolean },
      ) => {
        const { redactCommand } = await import("../redact/index.ts");
        const { rulesVersion = false, ...rest } = options;
        const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
        exit(await redactCommand({ ...rest, files, version: rulesVersion }, streams));
      },
    );
  program
    .command("schema")
    .description("print the JSON Schema of a record")
    .action(async () => exit(await (await import("./schema.ts")).schema()));
};

const addCompletion = (program: Command, exit: Exit): void => {
  program
    .command("completion")
    .description("print the completion script of a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .action(async (shell: Shell) => exit((await import("./completion.ts")).completion(program, shell)));
};
