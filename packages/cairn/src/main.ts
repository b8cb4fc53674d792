import { CommanderError } from "commander";
import { program } from "./cli/program.ts";

try {
  await program().parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  // Like the other programs: 2 is a command line that cannot be read.
  process.exitCode = error.exitCode === 0 ? 0 : 2;
}
