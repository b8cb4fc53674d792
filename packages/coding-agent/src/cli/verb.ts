import { type Command, CommanderError } from "commander";
import type { TerminalTransportCapability } from "../capabilities/types.ts";

/** Exit code of a command line, script, model or session that cannot be used. */
export const UNUSABLE = 2;

/** Lets a command write to the terminal capability, and end by telling instead of leaving the process. */
export const onTerminal = (command: Command, terminal: TerminalTransportCapability): Command =>
  command.exitOverride().configureOutput({
    writeOut: (text) => terminal.write(text),
    writeErr: (text) => terminal.writeError(text),
  });

/**
 * Reads a command line. Undefined when there is something to run; else the exit code: 0 after help or version,
 * `mistake` after a command line that cannot be read, which has been complained about.
 */
export const parseInto = (
  command: Command,
  args: readonly string[],
  mistake = UNUSABLE,
): number | undefined => {
  try {
    command.parse([...args], { from: "user" });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : mistake;
    throw error;
  }
};
