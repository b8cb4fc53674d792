import { readFileSync } from "node:fs";
import type { AgentName } from "@orphus/agent-trace/item";
import { HarnessError } from "../base/errors.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import { readEnvFiles } from "../config/env-file.ts";
import { launchOf } from "../config/launch.ts";
import type { SpawnSpec } from "../protocol/keeper.ts";
import { runEnvironment, type RunMarks, type Variables } from "./environment.ts";

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
  { env, umask }: LaunchSurroundings,
): LaunchSpec => {
  const launch = launchOf(definition);
  if (launch.on !== "pipes" || definition.prompt === undefined) {
    throw new HarnessError(
      "spawn_failed",
      `${definition.name} runs on a terminal, and only pipes are built.`,
    );
  }
  const { args, autoAccept, maxTurns, model, workdir } = definition;
  const entries = readEnvFiles(definition.envFiles);
  const prompt = promptOf(definition.prompt);
  const options = { prompt, autoAccept, maxTurns, extra: args, ...(model === undefined ? {} : { model }) };
  return {
    spec: {
      file: launch.kind.program,
      args: launch.kind.promptArgs(options),
      cwd: workdir,
      env: runEnvironment(env, entries, marks),
      umask,
    },
    secrets: Object.values(entries),
  };
};

const promptOf = (prompt: NonNullable<HarnessDefinition["prompt"]>): string => {
  if ("text" in prompt) return prompt.text;
  try {
    return readFileSync(prompt.file, "utf8");
  } catch (error) {
    throw new HarnessError("spawn_failed", `The prompt file ${prompt.file} cannot be read.`, {
      hint: "restore it, or change prompt_file",
      cause: error,
    });
  }
};
