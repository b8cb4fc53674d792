import { readFileSync } from "node:fs";
import type { AgentName } from "@orphus/agent-trace/item";
import { HarnessError } from "../base/errors.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import { argumentProblem } from "../config/argument.ts";
import { readEnvFiles } from "../config/env-file.ts";
import { launchOf, type Launch } from "../config/launch.ts";
import type { SpawnSpec, TerminalSize } from "../protocol/keeper.ts";
import { isInherited, runEnvironment, type RunMarks, type Variables } from "./environment.ts";

export interface LaunchSpec {
  spec: SpawnSpec;
  /** Values that the run was given in secret. */
  secrets: string[];
}

export interface LaunchSurroundings {
  /** The daemon's own environment. */
  env: Variables;
  /** The mask the operator's shell gave the daemon; the daemon's own is narrower. */
  umask: number;
  /** The size that a harness's terminal had last. */
  size?: ((harness: string) => TerminalSize | undefined) | undefined;
}

/** The agent whose format a definition's runs are recorded in. */
export const agentOf = (definition: HarnessDefinition): AgentName => {
  const { kind } = launchOf(definition);
  if (kind !== undefined) return kind.agent;
  if (definition.transcripts !== undefined) return definition.transcripts;
  throw new HarnessError("unknown_kind", `${definition.name} names no agent whose trace is its record.`);
};

/** Reads what is read at each spawn, the prompt and the env files, and puts the process together. */
export const launchSpec = (
  definition: HarnessDefinition,
  marks: RunMarks,
  { env, umask, size }: LaunchSurroundings,
): LaunchSpec => {
  const launch = launchOf(definition);
  const entries = readEnvFiles(definition.envFiles);
  const inherited = definition.inheritEnv;
  return {
    spec: {
      ...programOf(definition, launch),
      cwd: definition.workdir,
      env: {
        ...(launch.on === "terminal" ? TERMINAL_VARIABLES : {}),
        ...runEnvironment(env, entries, marks, inherited),
      },
      umask,
      ...(launch.on === "terminal" ? { terminal: size?.(definition.name) ?? DEFAULT_SIZE } : {}),
    },
    secrets: [...new Set([...Object.values(entries), ...namedSecrets(env, inherited)])],
  };
};

/** What a program on a terminal may count on; the daemon's own environment wins. */
const TERMINAL_VARIABLES = { TERM: "xterm-256color", COLORTERM: "truecolor" } as const;

/** The size of a terminal that nobody has looked at yet. */
const DEFAULT_SIZE = { cols: 80, rows: 24 } as const;

/** Values that `inherit_env` hands over beyond what every run gets: they may be keys, and are masked as such. */
const namedSecrets = (env: Variables, inherited: readonly string[] | undefined): string[] =>
  inherited === undefined
    ? []
    : Object.entries(env).flatMap(([name, value]) =>
        value !== undefined && isInherited(name, inherited) && !isInherited(name) ? [value] : [],
      );

const programOf = (definition: HarnessDefinition, launch: Launch): Pick<SpawnSpec, "file" | "args"> => {
  const { args, argv, autoAccept, maxTurns, model, workdir, prompt } = definition;
  const named = model === undefined ? {} : { model };
  const extra = args.map((arg) => arg.replaceAll("{workdir}", workdir));
  if (launch.kind === undefined) {
    const [file = "", ...rest] = argv;
    return { file, args: rest };
  }
  const { kind } = launch;
  return {
    file: kind.program,
    args:
      prompt === undefined
        ? kind.residentArgs({ autoAccept, extra, ...named })
        : kind.promptArgs({ prompt: promptOf(prompt), autoAccept, maxTurns, extra, ...named }),
  };
};

const promptOf = (prompt: NonNullable<HarnessDefinition["prompt"]>): string => {
  const text = "text" in prompt ? prompt.text : readPrompt(prompt.file);
  const problem = argumentProblem(text);
  if (problem === undefined) return text;
  throw new HarnessError("spawn_failed", `The prompt ${problem}.`, {
    hint: "shorten it, and have the agent read the rest from a file",
  });
};

const readPrompt = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new HarnessError("spawn_failed", `The prompt file ${file} cannot be read.`, {
      hint: "restore it, or change prompt_file",
      cause: error,
    });
  }
};
