import { resolve } from "node:path";
import type { HarnessCapabilities, TerminalTransportCapability } from "../capabilities/types.ts";
import { within } from "../within.ts";

/**
 * How long standard input may be silent when there is a prompt without it: many programs leave an open pipe there that
 * nobody will ever write to.
 */
const FIRST_INPUT_MS = 1_000;

/** Collects standard input: when something has come of it, and when it has ended. */
const collectInput = (terminal: TerminalTransportCapability) => {
  let text = "";
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const unsubscribe = [
    terminal.onData((data) => {
      text += data;
      begun.resolve();
    }),
    terminal.onEnd(() => {
      begun.resolve();
      ended.resolve();
    }),
  ];
  return {
    begun: begun.promise,
    ended: ended.promise,
    text: () => text,
    stop: () => unsubscribe.forEach((stop) => stop()),
  };
};

const readInput = async ({ terminal, clock }: HarnessCapabilities, hasPrompt: boolean): Promise<string> => {
  if (terminal.inputIsTTY) return "";
  const input = collectInput(terminal);
  try {
    if (hasPrompt) await within(clock, FIRST_INPUT_MS, input.begun, () => new SilentInput());
    await input.ended;
  } catch (error) {
    if (!(error instanceof SilentInput)) throw error;
  } finally {
    input.stop();
  }
  return input.text();
};

class SilentInput extends Error {
  override name = "SilentInput";
}

const inFile = (path: string, text: string): string =>
  `<file path=${JSON.stringify(path)}>\n${text}\n</file>`;

/** The prompt of the command line: files named with `@`, then standard input where it is no terminal, then the words. */
export const readPrompt = async (
  words: readonly string[],
  capabilities: HarnessCapabilities,
): Promise<string> => {
  const { fs, process } = capabilities;
  const parts: string[] = [];
  for (const word of words) {
    if (!/^@./u.test(word)) continue;
    const path = word.slice(1);
    const text = await fs.readFile(resolve(process.cwd, path));
    if (text.includes("\0")) throw new Error(`${path}: not a text file`);
    parts.push(inFile(path, text.trimEnd()));
  }
  const said = words
    .filter((word) => !/^@./u.test(word))
    .join(" ")
    .trim();
  const piped = (await readInput(capabilities, said !== "")).trim();
  return [...parts, piped, said].filter((part) => part !== "").join("\n\n");
};
