import type { AgentName } from "@orphus/agent-trace/item";
import type { RuleFile } from "@orphus/agent-trace/redact";
import type { Clock } from "../base/clock.ts";
import type { Store } from "../store/store.ts";
import type { RunTotals } from "../store/read.ts";
import type { RawRecord } from "../store/seal.ts";
import type { Bus } from "./bus.ts";
import type { OpenFileSink } from "./file-sink.ts";
import type { StreamAgent } from "./stream-agent.ts";

/** Channels of a pipe run. */
export type Channel = "stdout" | "stderr";

/** Every channel there is; a run on a terminal has the last alone. */
export type AnyChannel = Channel | "pty";

/** What `record/` must know to take in one run. The ledger row is already open. */
export interface RunIdentity {
  harness: string;
  runId: number;
  agent: AgentName;
  workdir: string;
  /** Values the run was given in secret; masked wherever they appear. */
  secrets: readonly string[];
  recordTrace: boolean;
  /** The run's terminal as it is now, where it has one. */
  terminal?: { cols: number; rows: number };
}

/** What an intake works with. */
export interface IntakeDeps {
  store: Store;
  bus: Bus;
  clock: Clock;
  /** Absolute paths, as {@link StatePaths} names them; their folder is made when it is not there. */
  files: { stream: string; runLog: string };
  /** The stream file and the run log are each cut with a marker line beyond this. */
  maxFileBytes: number;
  /** The run's HOME, to tell it from other places outside the working directory. */
  home?: string;
  /** The operator's rules, beside the built-in ones. */
  rules?: readonly RuleFile[];
  /** How the agent's stream is read; as agent-trace knows it when absent. */
  streamAgent?: StreamAgent;
  /** How files are opened; in the file system when absent. */
  openFile?: OpenFileSink;
  /** Told once of each trouble with the record; it is noted on the run's ledger row as well where that can be written. */
  onFault?(fault: IntakeFault): void;
}

/** Something is missing from the run's record, or late. The run itself goes on. */
export interface IntakeFault {
  what: "stream_file" | "run_log" | "store";
  /** A sentence for the operator. */
  message: string;
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
  /**
   * The process is gone and both channels are drained (or given up): commits the rest and seals the files. Rejects with
   * `store_failed` when the store takes nothing even now; the ledger row then stays open for the next daemon.
   */
  finish(end: ProcessEnd): Promise<RunFold>;
  /** Lets go of files and timers without an end: the run goes on, and another daemon adopts it. Commits what it can. */
  release(): void;
}

/** An intake as supervision drives it, whichever channels it has: those that `position` names. */
export interface RunIntake {
  readonly position: Readonly<Partial<Record<AnyChannel, number>>>;
  /** Committed bytes of a terminal may come again: its screen is drawn from them. */
  write(channel: AnyChannel, from: number, bytes: Uint8Array): void;
  onCommitted(listener: (channel: AnyChannel, offset: number) => void): void;
  eof(channel: AnyChannel): void;
  finish(end: ProcessEnd): Promise<RunFold>;
  release(): void;
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
export interface RunFold extends RunTotals {
  verdict: Verdict;
  /** The stream file as it was closed; absent when there is none. */
  raw?: RawRecord;
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

/**
 * Opens the intake of a run whose ledger row is open: a new one at position 0, or, after a restart, where the last commit
 * was (its files are cut back to that point first).
 */
export type OpenIntake = (identity: RunIdentity, deps: IntakeDeps) => Intake;
