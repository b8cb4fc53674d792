import type { AgentName } from "@orphus/agent-trace/item";

/**
 * Whose transcripts a `command` harness may name as its record. A command is started by its own `argv`, without a shell,
 * and has no stream and no prompt; without this binding nobody could say what it did, so it is refused.
 */
export const commandTranscripts = [
  "claude-code",
  "codex",
  "crush",
  "opencode",
  "pi",
  "omp",
  "orphus",
] as const satisfies readonly AgentName[];

export type CommandTranscripts = (typeof commandTranscripts)[number];

export const isCommandTranscripts = (value: unknown): value is CommandTranscripts =>
  commandTranscripts.some((name) => name === value);
