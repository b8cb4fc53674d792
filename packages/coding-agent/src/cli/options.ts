import { Command, Option } from "commander";
import type { TerminalTransportCapability } from "../capabilities/types.ts";
import type { ThinkingLevel } from "../session/entry.ts";
import { VERSION } from "../version.ts";
import { onTerminal, parseInto, UNUSABLE } from "./verb.ts";

/** What the command line asks for. */
export interface CliOptions {
  prompt: string;
  mode: "text" | "json";
  provider?: string;
  model?: string;
  script?: string;
  thinking: ThinkingLevel;
  tools?: string[];
  session?: string;
  continue: boolean;
  sessionDir?: string;
  noSession: boolean;
}

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

interface Parsed {
  print?: boolean;
  mode: "text" | "json";
  provider?: string;
  model?: string;
  script?: string;
  thinking: ThinkingLevel;
  tools?: string;
  // `--no-tools` and `--no-session` come as false.
  session: string | boolean;
  continue?: boolean;
  sessionDir?: string;
}

const program = (terminal: TerminalTransportCapability): Command =>
  onTerminal(new Command("orphus"), terminal)
    .description("A coding agent whose world is injected and whose every provider request is on record.")
    .version(VERSION, "-v, --version")
    .argument("[prompt...]", "what to do")
    .option("-p, --print", "work on the prompt and exit")
    .addOption(new Option("--mode <mode>", "what to write").choices(["text", "json"]).default("text"))
    .option("--provider <name>", "the model's provider; 'scripted' answers from --script")
    .option("--model <id>", "the model")
    .option("--script <file>", "answers of the scripted provider (JSON)")
    .addOption(new Option("--thinking <level>", "how much to think").choices(LEVELS).default("off"))
    .option("-t, --tools <names>", "tools that are on, separated by commas")
    .option("--session <file>", "go on with the session in a file")
    .option("--no-session", "keep the session in memory only")
    .option("-c, --continue", "go on with the last session of this folder")
    .option("--session-dir <folder>", "where session files go");

/** Reads the command line. Gives the exit code instead when there is nothing to run (help, version, a mistake). */
export const parseArgs = (
  args: readonly string[],
  terminal: TerminalTransportCapability,
): { options: CliOptions } | { exitCode: number } => {
  const command = program(terminal);
  const exitCode = parseInto(command, args);
  if (exitCode !== undefined) return { exitCode };
  const parsed = command.opts<Parsed>();
  const prompt = command.args.join(" ").trim();
  const mistake = mistakeIn(parsed, prompt);
  if (mistake !== undefined) {
    terminal.writeError(`orphus: ${mistake}\n`);
    return { exitCode: UNUSABLE };
  }
  const { mode, provider, model, script, thinking, tools, session, sessionDir } = parsed;
  return {
    options: {
      prompt,
      mode,
      thinking,
      continue: parsed.continue === true,
      noSession: session === false,
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(script === undefined ? {} : { script }),
      ...(tools === undefined ? {} : { tools: tools.split(",").map((name) => name.trim()) }),
      ...(typeof session === "string" ? { session } : {}),
      ...(sessionDir === undefined ? {} : { sessionDir }),
    },
  };
};

const mistakeIn = ({ provider, model, script, print }: Parsed, prompt: string): string | undefined => {
  if (print !== true) return "only -p (work on one prompt and exit) is there yet: orphus -p PROMPT";
  if (prompt === "") return "there is no prompt: orphus -p PROMPT";
  if (provider === "scripted" && script === undefined)
    return "--provider scripted answers from a file: add --script FILE.json";
  if (script !== undefined && provider !== undefined && provider !== "scripted")
    return `--script belongs to --provider scripted, not to ${provider}`;
  if (script === undefined && (provider === undefined || model === undefined))
    return "no model is chosen: give --provider and --model, such as --provider anthropic --model claude-sonnet-4-5";
  return undefined;
};
