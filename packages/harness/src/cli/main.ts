import { CommanderError } from "commander";
import { createContext, type Context, type DaemonOptions } from "./context.ts";
import { outputOf } from "./output.ts";
import { createProgram } from "./program.ts";
import { UsageError } from "./usage.ts";

/** The other roles of the program, given by `main.ts` so that they load only when they are played. */
export interface Roles {
  startDaemon: (options: DaemonOptions) => Promise<number>;
  rescan: Context["rescan"];
}

/** Runs the command line of this process; resolves to the exit code. */
export const main = async ({ startDaemon, rescan }: Roles): Promise<number> => {
  const { env, argv } = process;
  const out = outputOf(process.stdout, env);
  const err = outputOf(process.stderr, env);
  // `harness logs … | head` ends with the reader, not with a stack trace.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  const surroundings = { env, out, err, cwd: process.cwd(), now: Date.now, startDaemon, rescan };
  let context: Context | undefined;
  const program = createProgram((options) => {
    context = createContext(options, surroundings);
    return context;
  });
  try {
    return await program.run(argv.slice(2));
  } catch (error) {
    // Help and version are thrown too, after they are printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const json = context?.json ?? argv.includes("--json");
    // The redactor takes its time to load, and most command lines do not fail.
    const { fail } = await import("./failure.ts");
    const shown = error instanceof CommanderError ? usageError(error) : error;
    fail({ out, err, json }, shown);
    return shown instanceof UsageError ? USAGE : 1;
  }
};

/** The exit code of a command line that is wrong. */
const USAGE = 2;

/** A verb without the verb that belongs to it is answered with its help, and thrown under a name of the parser's. */
const wordsOf = ({ code, message }: CommanderError): string =>
  code === "commander.help"
    ? "a verb is missing: name one of its verbs as well"
    : message.replace(/^error: /, "");

const usageError = (error: CommanderError): UsageError =>
  new UsageError("bad_request", wordsOf(error), {
    hint: "see harness --help, or harness <verb> --help",
  });
