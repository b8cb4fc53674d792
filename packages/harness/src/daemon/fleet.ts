import type { HarnessDefinition } from "../config/definition.ts";
import type { HarnessRow } from "../protocol/methods.ts";
import type { RunRef } from "../store/read.ts";
import type { Firing } from "../supervise/firing.ts";

/** A run that was asked for. Its ledger row is open, or closed already where it could not start. */
export interface StartedRun {
  ref: RunRef;
  /** Settles when the ledger row is closed. */
  ended: Promise<unknown>;
}

/** What the daemon does with harnesses on request; `supervise/` does it. */
export interface Fleet {
  /** What the harness does now. */
  state(name: string): { state: HarnessRow["state"]; pid?: number };
  /** How many runs are in flight. */
  readonly running: number;
  /** Starts a run, or records why none was started. */
  start(definition: HarnessDefinition, firing: Firing): Promise<StartedRun>;
  /** Ends what the harness is running; resolves when it has ended. */
  stop(name: string): Promise<void>;
}
