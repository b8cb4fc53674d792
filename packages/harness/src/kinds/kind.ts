import type { AgentName } from "@orphus/agent-trace/item";

/** The values of `harness = …`. */
export type KindName = "claude-code" | "codex" | "crush" | "opencode" | "pi" | "omp" | "orphus" | "command";

/** How one agent's program is started. What it writes is agent-trace's business. */
export interface Kind {
  name: KindName;
  /** Whose format its records have; `command` takes it from its `transcripts` binding. */
  agent: AgentName;
  /** Looked up on the run's PATH. */
  program: string;
  /** Other words that name this kind on the command line (`harness run claude`). */
  aliases: readonly string[];
  /** Format that {@link Kind.promptArgs} makes the program write on stdout; absent = no structured stream. */
  stream?: string;
  /** Arguments of a one-shot. */
  promptArgs(options: PromptOptions): string[];
}

export interface PromptOptions {
  prompt: string;
  model?: string;
  autoAccept: boolean;
  /** 0 = unlimited. */
  maxTurns: number;
  extra: readonly string[];
}
