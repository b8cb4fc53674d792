import { Command, CommanderError } from "commander";
import { VERSION } from "../version.ts";

/** Exit codes: 0 done, 1 the input could not be read, 2 the command line is wrong. */
export const runCli = async (args: readonly string[]): Promise<number> => {
  let exitCode = 0;
  const program = new Command("agent-trace")
    .description("reads what coding agents write about themselves into one exact record, with secrets masked")
    .version(VERSION)
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 80, 100) });
  program
    .command("normalize")
    .description("read an agent's structured stream on stdin, write one record a line")
    .option("--agent <name>", "whose stream it is", "auto")
    .action(async (options: { agent: string }) => {
      exitCode = await (await import("./normalize.ts")).normalize(options);
    });
  program
    .command("schema")
    .description("print the JSON Schema of a record")
    .action(async () => {
      exitCode = await (await import("./schema.ts")).schema();
    });
  if (args.length === 0) {
    program.outputHelp();
    return 2;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
};
