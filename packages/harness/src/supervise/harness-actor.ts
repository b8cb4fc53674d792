import type { HarnessDefinition } from "../config/definition.ts";
import type { StopReason } from "./ending.ts";
import type { Firing } from "./firing.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunStarter } from "./run-starter.ts";
import { KeepUp } from "./keep-up.ts";
import type { RunRecord, RunRef } from "../store/read.ts";

/** A run that was asked for. Its ledger row is open, or closed already where it could not start. */
export interface StartedRun {
  ref: RunRef;
  /** Settles when the ledger row is closed, or the run has been left to the next daemon. */
  ended: Promise<void>;
}

export type HarnessState =
  | "stopped"
  | "starting"
  | "running"
  | "restarting"
  | "degraded"
  | "stopping"
  | "failed";

/** What a harness does now. */
export interface HarnessStatus {
  state: HarnessState;
  pid?: number;
  /** It is to run. */
  enabled: boolean;
  /** Starts by itself since somebody started it. */
  restarts: number;
  /** It is in a crash loop, whether it runs right now or not. */
  looping: boolean;
  /** Why it is failed. */
  failed?: string;
  /** When it is started again, wall time in ms. */
  nextStart?: number;
  /** The process was started with another definition than the configuration has now. */
  changed: boolean;
}

/** The run that is on, from before its process exists until its row is closed. */
interface Current {
  ref: RunRef;
  live?: LiveRun;
  /** What it was started with; unknown of a run that an earlier daemon started. */
  definition?: HarnessDefinition;
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
  readonly #definition: () => HarnessDefinition | undefined;
  readonly #keepUp: KeepUp;
  #current: Current | undefined;
  #waiting: Waiting | undefined;

  /** `definition` is the harness as it is configured now; undefined when it is not any more. */
  constructor(name: string, starter: RunStarter, definition: () => HarnessDefinition | undefined) {
    this.#starter = starter;
    this.#definition = definition;
    this.#keepUp = new KeepUp({
      name,
      ...starter.keepUp,
      definition,
      start: (again) => this.#restart(again),
    });
  }

  get status(): HarnessStatus {
    const { enabled, restarts, looping, failed, wait } = this.#keepUp;
    const pid = this.#current?.live?.child.pid;
    return {
      state: this.#state,
      ...(pid !== undefined && { pid }),
      enabled,
      restarts,
      looping,
      ...(failed !== undefined && { failed }),
      ...(wait !== undefined && { nextStart: wait.until }),
      changed: this.#changed,
    };
  }

  get #state(): HarnessState {
    const { wait, failed } = this.#keepUp;
    if (this.#current !== undefined) {
      const { live } = this.#current;
      if (live === undefined) return "starting";
      return live.stopping ? "stopping" : "running";
    }
    if (wait !== undefined) return wait.looping ? "degraded" : "restarting";
    return failed === undefined ? "stopped" : "failed";
  }

  get #changed(): boolean {
    const before = this.#current?.definition;
    const now = this.#definition();
    return before !== undefined && now !== undefined && !startsAlike(before, now);
  }

  /** Whether it should be running and is not: at boot, and after a reload. */
  get due(): boolean {
    return this.#keepUp.enabled && this.#state === "stopped";
  }

  /** Resolves when the run's process has been started, or the run waits, or it is recorded why there is none. */
  async start(definition: HarnessDefinition, firing: Firing): Promise<StartedRun> {
    const refusal = this.#refusal(definition, firing);
    if (refusal !== undefined) {
      const ref = this.#starter.decide(definition, firing, { outcome: "skipped", reason: refusal });
      return { ref, ended: Promise.resolve() };
    }
    if (firing.trigger !== "restart") this.#keepUp.wanted();
    const ref = this.#starter.open(definition, firing);
    if (this.#current === undefined) return this.#begin(ref, definition, firing);
    this.#waiting?.withdraw("replaced", "a later run took its place in the queue");
    if (definition.onOverlap === "replace") this.#stopCurrent("replace");
    return this.#queue(ref, definition, firing);
  }

  /** Whether a run is on, from before its process exists. */
  get on(): boolean {
    return this.#current !== undefined;
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
    if (reason === "operator") this.#keepUp.unwanted();
    else this.#keepUp.cancel();
    const ended = this.#current?.ended;
    this.#stopCurrent(reason);
    await ended;
  }

  /** Lets the current run go on with its keeper, for the next daemon. */
  async leave(): Promise<void> {
    this.#waiting?.withdraw("interrupted", "shutdown: it was still waiting to start");
    this.#keepUp.cancel();
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
    const current: Current = { ref, ended, definition };
    this.#current = current;
    const live = await this.#starter.start(ref, definition, firing);
    if (live === undefined) {
      this.#finish(current, this.#starter.record(ref));
      resolve();
      return { ref, ended };
    }
    current.live = live;
    if (current.stop !== undefined) live.stop(current.stop);
    this.#follow(current, live).then(resolve, resolve);
    return { ref, ended };
  }

  async #follow(current: Current, live: LiveRun): Promise<void> {
    this.#finish(current, await this.#starter.follow(live));
  }

  /** `record` is absent for a run that goes on without this daemon. */
  #finish(current: Current, record: RunRecord | undefined): void {
    if (this.#current === current) this.#current = undefined;
    // The run that waits is the next.
    if (record === undefined || this.#waiting !== undefined) return;
    const stopReason = current.live === undefined ? current.stop : current.live.stopReason;
    const { live, definition } = current;
    this.#keepUp.over({ record, unspawned: live === undefined, stopReason, definition });
  }

  #restart(definition: HarnessDefinition): void {
    if (this.#current !== undefined) return;
    this.start(definition, { trigger: "restart" }).catch((error: unknown) => {
      this.#starter.keepUp.log.error(`${definition.name} is not started again: ${String(error)}`);
    });
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

/** Whether two definitions start the same process. The other keys apply to what runs at once. */
const startsAlike = (one: HarnessDefinition, other: HarnessDefinition): boolean =>
  JSON.stringify(processOf(one)) === JSON.stringify(processOf(other));

const processOf = (definition: HarnessDefinition) => {
  const { kind, prompt, args, argv, transcripts, workdir, envFiles, model, autoAccept, maxTurns } =
    definition;
  const { timeoutMs, recordTrace, inheritEnv } = definition;
  return [
    kind,
    prompt,
    args,
    argv,
    transcripts,
    workdir,
    envFiles,
    model,
    autoAccept,
    maxTurns,
    timeoutMs,
    recordTrace,
    inheritEnv,
  ];
};
