import type { HarnessCapabilities } from "../types.ts";
import { createDefaultCapabilities } from "./index.ts";

/** Resolves when everything written so far has left the process. */
const drained = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.errored) resolve();
    else stream.write("", () => resolve());
  });

/**
 * Runs a program on the real world: gives it the command line and the capabilities, and ends the process with the code
 * it returns, whatever may still hold the event loop.
 */
export const runProgram = async (
  program: (args: readonly string[], capabilities: HarnessCapabilities) => Promise<number>,
): Promise<never> => {
  const code = await program(process.argv.slice(2), createDefaultCapabilities());
  await drained(process.stdout);
  await drained(process.stderr);
  process.exit(code);
};
