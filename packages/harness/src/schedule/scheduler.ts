import type { Clock } from "../base/clock.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import { Job, type JobDeps } from "./job.ts";

export interface SchedulerDeps extends Omit<JobDeps, "upSince"> {
  clock: Clock;
}

/** What a harness's schedule is at. */
export interface ScheduleState {
  expression: string;
  /** Wall time in ms; absent while it is paused. */
  next?: number;
  paused: boolean;
}

const TICK_MS = 1000;

/**
 * Starts runs when they are due. It looks at the wall clock once a second instead of setting timers far ahead: a timer does
 * not know of a machine that slept, or of a clock that was set.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #upSince: number;
  readonly #jobs = new Map<string, Job>();
  readonly #advancing = new Set<Promise<void>>();
  #cancel: (() => void) | undefined;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#upSince = deps.clock.now();
  }

  /** Takes the schedules of a configuration. One that is the same as before goes on as it was. */
  configure(harnesses: ReadonlyMap<string, HarnessDefinition>): void {
    const { marks, clock } = this.#deps;
    for (const name of [...this.#jobs.keys(), ...marks.names()]) {
      if (harnesses.get(name)?.schedule !== undefined) continue;
      this.#jobs.delete(name);
      marks.remove(name);
    }
    for (const [name, definition] of harnesses) {
      const { schedule } = definition;
      if (schedule === undefined) continue;
      const job = this.#jobs.get(name);
      if (job?.expression === schedule) job.redefine(definition);
      else
        this.#jobs.set(
          name,
          new Job({ ...this.#deps, upSince: this.#upSince }, definition, schedule, clock.now()),
        );
    }
  }

  /** Begins to look at the clock: at once, and every second from then on. */
  start(): void {
    this.#tick();
  }

  /** Stops; resolves when nothing is being started any more. */
  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.settled();
  }

  /** Resolves when what is due by now has been decided. */
  async settled(): Promise<void> {
    await Promise.all(this.#advancing);
  }

  state(name: string): ScheduleState | undefined {
    const job = this.#jobs.get(name);
    if (job === undefined) return undefined;
    const { expression, paused, next } = job;
    return { expression, paused, ...(next === undefined || paused ? {} : { next }) };
  }

  /** Pauses a schedule, or lets it go on; nothing for a harness without one. */
  pause(name: string, paused: boolean): void {
    this.#jobs.get(name)?.pause(paused);
  }

  #tick(): void {
    const now = this.#deps.clock.now();
    for (const job of this.#jobs.values()) this.#advance(job, now);
    this.#cancel = this.#deps.clock.after(TICK_MS, () => this.#tick());
  }

  #advance(job: Job, now: number): void {
    const advancing = job.advance(now).finally(() => this.#advancing.delete(advancing));
    this.#advancing.add(advancing);
  }
}
