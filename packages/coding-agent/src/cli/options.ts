import { Command, Option } from "commander";
import type { TerminalTransportCapability } from "../capabilities/types.ts";
import { VERSION } from "../version.ts";
import {
  modelMistake,
  type ParsedRuntime,
  type RuntimeOptions,
  toRuntimeOptions,
  withRuntimeOptions,
} from "./runtime-options.ts";
import { onTerminal, parseInto, UNUSABLE } from "./verb.ts";

export type Mode = "text" | "json" | "rpc";

/** What the command line asks for. */
export interface CliOptions extends RuntimeOptions {
  /** Words of the prompt; one that begins with `@` names a file. */
  words: readonly string[];
  mode: Mode;
  session?: string;
  continue: boolean;
  /** Go on with the history of a session under a new id. */
  fork?: string;
  sessionDir?: string;
  noSession: boolean;
}

interface Parsed extends ParsedRuntime {
  print?: boolean;
  /** A mode that is named needs no `-p`. */
  mode?: Mode;
  /** `--no-session` comes as false. */
  session: string | boolean;
  continue?: boolean;
  fork?: string;
  sessionDir?: string;
}

const VERB_HELP = `
Verbs:
  inspect runtime        what the assembled runtime is made of
  replay SESSION         run a recorded session again, offline, and tell the first difference
  sessions prune         drop recorded request and response bodies
  models [SEARCH]        known models and their prices
  trust                  trust what lies in this project's .orphus folder

Without a key: orphus -p --provider scripted --script FILE.json PROMPT`;

const program = (terminal: TerminalTransportCapability): Command =>
  withRuntimeOptions(
    onTerminal(new Command("orphus"), terminal)
      .description("A coding agent whose world is injected and whose every provider request is on record.")
      .version(VERSION, "-v, --version")
      .argument("[prompt...]", "what to do; @FILE puts a file into it, and so does standard input")
      .option("-p, --print", "work on the prompt and exit")
      .addOption(
        new Option(
          "--mode <mode>",
          "how to talk (default: text); with one named, -p may be left out",
        ).choices(["text", "json", "rpc"]),
      ),
  )
    .option("--session <file>", "go on with the session in a file")
    .option("--no-session", "keep the session in memory only")
    .option("-c, --continue", "go on with the last session of this folder")
    .option("--fork <file>", "go on with a session's history in a new one")
    .option("--session-dir <folder>", "where session files go")
    .addHelpText("after", VERB_HELP);

/** Reads the command line. Gives the exit code instead when there is nothing to run (help, version, a mistake). */
export const parseArgs = (
  args: readonly string[],
  terminal: TerminalTransportCapability,
): { options: CliOptions } | { exitCode: number } => {
  const command = program(terminal);
  const exitCode = parseInto(command, args);
  if (exitCode !== undefined) return { exitCode };
  const parsed = command.opts<Parsed>();
  const mistake = mistakeIn(parsed);
  if (mistake !== undefined) {
    terminal.writeError(`orphus: ${mistake}\n`);
    return { exitCode: UNUSABLE };
  }
  const { mode = "text", session, sessionDir, fork } = parsed;
  return {
    options: {
      ...toRuntimeOptions(parsed),
      words: command.args,
      mode,
      continue: parsed.continue === true,
      noSession: session === false,
      ...(typeof session === "string" ? { session } : {}),
      ...(fork === undefined ? {} : { fork }),
      ...(sessionDir === undefined ? {} : { sessionDir }),
    },
  };
};

const mistakeIn = (parsed: Parsed): string | undefined => {
  if (parsed.print !== true && parsed.mode === undefined)
    return "there is no interactive mode: orphus -p PROMPT works on one prompt, --mode rpc on many";
  return modelMistake(parsed);
};
