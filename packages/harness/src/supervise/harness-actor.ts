import type { HarnessDefinition } from "../config/definition.ts";
import type { StopReason } from "./ending.ts";
import type { Firing } from "./firing.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunStarter } from "./run-starter.ts";
import type { RunRef } from "../store/read.ts";

/** A run that was asked for. Its ledger row is open, or closed already where it could not start. */
export interface StartedRun {
  ref: RunRef;
  /** Settles when the ledger row is closed, or the run has been left to the next daemon. */
  ended: Promise<void>;
}

export type HarnessState = "stopped" | "starting" | "running" | "stopping" | "failed";

/** The run that is on, from before its process exists until its row is closed. */
interface Current {
  ref: RunRef;
  live?: LiveRun;
  /** Asked for before there was a process to end. */
  stop?: StopReason;
  ended: Promise<void>;
}

interface Waiting {
  ref: RunRef;
  /** Ends the wait without a run. */
  withdraw(outcome: "cancelled" | "replaced" | "interrupted", reason: string): void;
}

/** One harness: at most one run at a time, and at most one that waits for it. */
export class HarnessActor {
  readonly #starter: RunStarter;
  #current: Current | undefined;
  #waiting: Waiting | undefined;
  #failed = false;

  constructor(starter: RunStarter) {
    this.#starter = starter;
  }

  get state(): { state: HarnessState; pid?: number } {
    const current = this.#current;
    if (current === undefined) return { state: this.#failed ? "failed" : "stopped" };
    if (current.live === undefined) return { state: "starting" };
    return { state: current.live.stopping ? "stopping" : "running", pid: current.live.child.pid };
  }

  /** Resolves when the run's process has been started, or the run waits, or it is recorded why there is none. */
  async start(definition: HarnessDefinition, firing: Firing): Promise<StartedRun> {
    const refusal = this.#refusal(definition, firing);
    if (refusal !== undefined) {
      const ref = this.#starter.decide(definition, firing, { outcome: "skipped", reason: refusal });
      return { ref, ended: Promise.resolve() };
    }
    const ref = this.#starter.open(definition, firing);
    if (this.#current === undefined) return this.#begin(ref, definition, firing);
    this.#waiting?.withdraw("replaced", "a later run took its place in the queue");
    if (definition.onOverlap === "replace") this.#stopCurrent("replace");
    return this.#queue(ref, definition, firing);
  }

  /** The run's process, where it is there. */
  get live(): LiveRun | undefined {
    return this.#current?.live;
  }

  async idle(): Promise<void> {
    await this.#current?.ended;
  }

  /** Ends the current run and drops the one that waits; resolves when both are recorded. */
  async stop(reason: StopReason): Promise<void> {
    if (reason === "shutdown")
      this.#waiting?.withdraw("interrupted", "shutdown: it was still waiting to start");
    else this.#waiting?.withdraw("cancelled", "stopped by the operator before it started");
    const ended = this.#current?.ended;
    this.#stopCurrent(reason);
    await ended;
  }

  /** Lets the current run go on with its keeper, for the next daemon. */
  async leave(): Promise<void> {
    this.#waiting?.withdraw("interrupted", "shutdown: it was still waiting to start");
    this.#current?.live?.abandon();
    await this.#current?.ended;
  }

  /** Takes over a run that an earlier daemon started. */
  adopt(live: LiveRun): void {
    const current: Current = { ref: live.ref, live, ended: Promise.resolve() };
    this.#current = current;
    current.ended = this.#follow(current, live);
  }

  #refusal(definition: HarnessDefinition, firing: Firing): string | undefined {
    if (this.#current !== undefined && definition.onOverlap === "skip") return "overlap: a run is on";
    if (this.#waiting !== undefined && definition.onOverlap === "queue")
      return "overlap: a run is waiting already";
    const admission = this.#starter.admit(definition, firing);
    return admission.admitted ? undefined : admission.reason;
  }

  async #begin(ref: RunRef, definition: HarnessDefinition, firing: Firing): Promise<StartedRun> {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const current: Current = { ref, ended };
    this.#current = current;
    const live = await this.#starter.start(ref, definition, firing);
    this.#failed = live === undefined;
    if (live === undefined) {
      this.#finish(current);
      resolve();
      return { ref, ended };
    }
    current.live = live;
    if (current.stop !== undefined) live.stop(current.stop);
    this.#follow(current, live).then(resolve, resolve);
    return { ref, ended };
  }

  async #follow(current: Current, live: LiveRun): Promise<void> {
    await this.#starter.follow(live);
    this.#finish(current);
  }

  #finish(current: Current): void {
    if (this.#current === current) this.#current = undefined;
  }

  #queue(ref: RunRef, definition: HarnessDefinition, firing: Firing): StartedRun {
    const turn = Promise.withResolvers<boolean>();
    const waiting: Waiting = {
      ref,
      withdraw: (outcome, reason) => {
        this.#waiting = undefined;
        this.#starter.close(ref, { outcome, reason });
        turn.resolve(false);
      },
    };
    this.#waiting = waiting;
    const run = async (): Promise<void> => {
      await this.#current?.ended;
      if (this.#waiting !== waiting) return;
      this.#waiting = undefined;
      await (
        await this.#begin(ref, definition, firing)
      ).ended;
    };
    return { ref, ended: Promise.race([run(), turn.promise.then(() => undefined)]) };
  }

  #stopCurrent(reason: StopReason): void {
    const current = this.#current;
    if (current === undefined) return;
    if (current.live === undefined) current.stop ??= reason;
    else current.live.stop(reason);
  }
}
