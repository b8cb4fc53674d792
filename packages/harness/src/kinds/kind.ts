import type { AgentName } from "@orphus/agent-trace/item";

/** The values of `harness = …`. */
export type KindName = "claude-code" | "codex" | "crush" | "opencode" | "pi" | "omp" | "orphus" | "command";

/** How one agent's program is started. What it writes is agent-trace's business. */
export interface Kind {
  name: Exclude<KindName, "command">;
  /** Whose format its records have. */
  agent: AgentName;
  /** Looked up on the run's PATH. */
  program: string;
  /** Other words that name this kind on the command line (`harness run claude`). */
  aliases: readonly string[];
  /**
   * Format that {@link Kind.promptArgs} makes the program write on stdout; absent = no structured stream. It is the name
   * under which agent-trace reads it.
   */
  stream?: string;
  /** Whether the program can be held to a number of turns. What a kind cannot express is a load error, not dropped. */
  limitsTurns: boolean;
  /** Arguments of a one-shot. */
  promptArgs(options: PromptOptions): string[];
  /** Keys that its terminal program has no flag for; for a resident they are load errors. */
  residentLacks: readonly ("model" | "auto_accept")[];
  /** Arguments of a resident, which is the agent's own program on a terminal. */
  residentArgs(options: ResidentOptions): string[];
}

export interface ResidentOptions {
  model?: string;
  autoAccept: boolean;
  /** The definition's `args`, placed last. */
  extra: readonly string[];
}

interface PromptOptions {
  prompt: string;
  model?: string;
  autoAccept: boolean;
  /** 0 = unlimited. */
  maxTurns: number;
  /** The definition's `args`, placed before the prompt. */
  extra: readonly string[];
}

/** `[flag, value]`, or nothing when there is no value. */
export const option = (flag: string, value: string | undefined): string[] =>
  value === undefined ? [] : [flag, value];

/**
 * The prompt as one word that no argument parser takes for an option: a prompt may well be a list that begins with `-`.
 * A line break in front changes nothing for the reader and works with every agent, where `--` does not.
 */
export const promptWord = (prompt: string): string => (prompt.startsWith("-") ? `\n${prompt}` : prompt);
