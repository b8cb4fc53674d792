import type { AgentName } from "@orphus/agent-trace/item";

/** Channels of a pipe run. */
export type Channel = "stdout" | "stderr";

/** What `record/` must know to take in one run. The ledger row is already open. */
export interface RunIdentity {
  harness: string;
  runId: number;
  agent: AgentName;
  workdir: string;
  /** Values the run was given in secret; masked wherever they appear. */
  secrets: readonly string[];
  recordTrace: boolean;
}

/**
 * Takes a run's bytes in and makes its record: bytes → lines → mask → stream file → normalize → store → bus. Offsets are
 * absolute positions in a channel. A failure of the disk never loses the run: it is noted on the run and the intake goes
 * on without the file.
 */
export interface Intake {
  /** Where each channel goes on after a restart: bytes before it are committed. */
  readonly position: Readonly<Record<Channel, number>>;
  /** `from` is the offset of the first byte. */
  write(channel: Channel, from: number, bytes: Uint8Array): void;
  /** Called with the offset up to which a channel is committed, so that the keeper may let go of it. */
  onCommitted(listener: (channel: Channel, offset: number) => void): void;
  /** The channel has ended. */
  eof(channel: Channel): void;
  /** The process is gone and both channels are drained (or given up): commits the rest and seals the files. */
  finish(end: ProcessEnd): Promise<RunFold>;
}

export interface ProcessEnd {
  code: number | null;
  signal: string | null;
  /** Wall time in ms. */
  at: number;
  /** Why the daemon ended it, where it did. */
  stoppedBy?: "timeout" | "operator" | "replace" | "shutdown";
}

/** What the ledger keeps of a run: counts and ids, no content. */
export interface RunFold {
  sessions: { id: string; agent: AgentName }[];
  models: { model: string; provider?: string }[];
  tokens: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  costNanoUsd?: number;
  costSource: "recorded" | "priced" | "unknown";
  toolCalls: number;
  toolErrors: number;
  errors: Partial<Record<"quota" | "auth" | "timeout" | "transport" | "other", number>>;
  unreadLines: number;
  /** Nothing announced a session. */
  traceMissing: boolean;
  verdict: Verdict;
}

/** What the process and the agent's own words, held together, say of the run. */
export interface Verdict {
  outcome:
    | "succeeded"
    | "failed"
    | "claimed_success"
    | "timed_out"
    | "interrupted"
    | "cancelled"
    | "replaced";
  /** In words, such as `exit 1 after the agent reported success`. */
  reason: string;
}
