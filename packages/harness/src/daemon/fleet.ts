import type { HarnessDefinition } from "../config/definition.ts";
import type { RunRef } from "../store/read.ts";
import type { Firing } from "../supervise/firing.ts";
import type { HarnessStatus } from "../supervise/harness-actor.ts";

/** A run that was asked for. Its ledger row is open, or closed already where it could not start. */
export interface StartedRun {
  ref: RunRef;
  /** Settles when the ledger row is closed. */
  ended: Promise<unknown>;
}

/** What the daemon does with harnesses on request; `supervise/` does it. */
export interface Fleet {
  /** What the harness does now. */
  status(name: string): HarnessStatus;
  /** How many runs are in flight. */
  readonly running: number;
  /** Harnesses with a run that is on, also those that are not configured any more. */
  readonly live: readonly string[];
  /** Starts a run, or records why none was started. */
  start(definition: HarnessDefinition, firing: Firing): Promise<StartedRun>;
  /** Ends what the harness is running; resolves when it has ended. */
  stop(name: string): Promise<void>;
  /** Ends what it is running and starts it anew. */
  restart(definition: HarnessDefinition): Promise<StartedRun>;
}
