import type { HarnessDefinition } from "../config/definition.ts";
import type { AnyChannel } from "../record/intake.ts";
import type { RunRecord, RunRef } from "../store/read.ts";
import type { Firing } from "./firing.ts";

/** What supervision needs of rooms that come after it; `daemon/` passes it in. */

/** Whether a run may start now: budgets, parking, hours. */
export interface Admission {
  admit(
    definition: HarnessDefinition,
    firing: Firing,
  ): { admitted: true } | { admitted: false; reason: string };
}

/** Takes what a run prints, as it comes and unmasked, for those who are attached to it on this machine. Never waits. */
export interface OutputSink {
  write(run: RunRef, channel: AnyChannel, from: number, bytes: Uint8Array): void;
}

/** Hears of runs as they start and end. The ledger has the facts by then. */
export interface Notify {
  started(run: RunRef): void;
  ended(record: RunRecord): void;
}
