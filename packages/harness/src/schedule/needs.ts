import type { HarnessDefinition } from "../config/definition.ts";
import type { RunRef } from "../store/read.ts";
import type { Firing } from "../supervise/firing.ts";
import type { Decision } from "../supervise/run-starter.ts";

/** What the scheduler needs of supervision; both leave a ledger row before they return or resolve. */
export interface Starts {
  /** Starts a run, lets it wait, or records why there is none. */
  start(definition: HarnessDefinition, firing: Firing): Promise<unknown>;
  /** Records a firing that starts nothing. */
  record(definition: HarnessDefinition, firing: Firing, decision: Decision): RunRef;
}
