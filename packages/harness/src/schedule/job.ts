import type { HarnessDefinition } from "../config/definition.ts";
import { parseDuration } from "../config/duration.ts";
import { parseSchedule, type Schedule } from "../cron/schedule.ts";
import type { Log } from "../base/log.ts";
import type { ScheduleMark, Schedules } from "../store/schedules.ts";
import type { Starts } from "./needs.ts";
import { LATE_MS, rowsOf } from "./overdue.ts";

export interface JobDeps {
  starts: Starts;
  marks: Schedules;
  log: Log;
  /** When this daemon came up: what was due before that was missed because none was running. Wall time in ms. */
  upSince: number;
}

const DAY_MS = 86_400_000;

/** A harness with a schedule: sees to it that every due time gets its ledger row. */
export class Job {
  readonly #deps: JobDeps;
  #definition: HarnessDefinition;
  readonly #schedule: Schedule;
  #mark: ScheduleMark;
  #busy = false;
  #troubled = false;

  /** Goes on where the mark on disk ends; a schedule that is new, or written anew, begins now. */
  constructor(deps: JobDeps, definition: HarnessDefinition, expression: string, now: number) {
    this.#deps = deps;
    this.#definition = definition;
    this.#schedule = parseSchedule(expression, parseDuration);
    const known = deps.marks.get(definition.name);
    if (known?.expression === expression) {
      this.#mark = known;
    } else {
      this.#mark = { expression, anchor: now, decided: now, paused: known?.paused ?? false };
      deps.marks.put(definition.name, this.#mark);
    }
  }

  get expression(): string {
    return this.#mark.expression;
  }

  get paused(): boolean {
    return this.#mark.paused;
  }

  /** The next due time that is not on record yet. */
  get next(): number | undefined {
    return this.#schedule.next(this.#mark.decided, this.#mark.anchor);
  }

  /** Takes what else the configuration says of the harness. */
  redefine(definition: HarnessDefinition): void {
    this.#definition = definition;
  }

  /** While it is paused, due times are recorded as skipped. */
  pause(paused: boolean): void {
    if (this.#mark.paused === paused) return;
    this.#keep({ ...this.#mark, paused });
  }

  /** Decides what has become due. Never fails: what cannot be recorded now is tried again with the next tick. */
  async advance(now: number): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      this.#followClock(now);
      await this.#decide(this.#duesUntil(now), now);
      this.#troubled = false;
    } catch (error) {
      if (!this.#troubled) this.#deps.log.error(`${this.#definition.name} is due, but ${String(error)}`);
      this.#troubled = true;
    } finally {
      this.#busy = false;
    }
  }

  /**
   * A clock that was set back: what is on record is not due again, so times of day wait until they are new. An interval has no
   * time of day and goes on from now, and so does everything after a clock that was wrong by more than a day.
   */
  #followClock(now: number): void {
    const { decided, anchor } = this.#mark;
    const ahead = decided - now;
    if (ahead <= 0 || (this.#schedule.everyMs === undefined && ahead <= DAY_MS)) return;
    this.#deps.log.warn(
      `${this.#definition.name}: the clock was set back by ${Math.ceil(ahead / 1000)} s; its schedule goes on from now`,
    );
    this.#keep({ ...this.#mark, anchor: anchor - ahead, decided: now });
  }

  #duesUntil(now: number): number[] {
    const dues: number[] = [];
    const { decided, anchor } = this.#mark;
    let due = this.#schedule.next(decided, anchor);
    while (due !== undefined && due <= now) {
      dues.push(due);
      due = this.#schedule.next(due, anchor);
    }
    return dues;
  }

  async #decide(dues: readonly number[], now: number): Promise<void> {
    if (dues.length === 0) return;
    if (this.paused) {
      this.#recordAll(dues, "skipped", "paused: the operator stopped it");
      return;
    }
    const onTime = dues.filter((due) => now - due <= LATE_MS);
    const overdue = dues.slice(0, dues.length - onTime.length);
    // A run that is due right now makes up for what was missed as well as one of its own would.
    const caughtUp = this.#definition.catchUp && onTime.length === 0 ? overdue.at(-1) : undefined;
    this.#recordMissed(caughtUp === undefined ? overdue : overdue.slice(0, -1));
    if (caughtUp !== undefined) await this.#start("catch_up", caughtUp);
    for (const due of onTime) await this.#start("schedule", due);
  }

  #recordMissed(dues: readonly number[]): void {
    const { upSince } = this.#deps;
    this.#recordAll(
      dues.filter((due) => due < upSince),
      "missed",
      "the daemon was not running",
    );
    this.#recordAll(
      dues.filter((due) => due >= upSince),
      "missed",
      "the machine was asleep, or the daemon was held up",
    );
  }

  #recordAll(dues: readonly number[], outcome: "missed" | "skipped", reason: string): void {
    for (const due of rowsOf(dues)) {
      this.#deps.starts.record(this.#definition, { trigger: "schedule", due }, { outcome, reason });
      this.#decided(due.at);
    }
  }

  async #start(trigger: "schedule" | "catch_up", at: number): Promise<void> {
    await this.#deps.starts.start(this.#definition, { trigger, due: { at } });
    this.#decided(at);
  }

  /** The ledger has the due time, and with it moved the mark on disk. */
  #decided(at: number): void {
    this.#mark = { ...this.#mark, decided: Math.max(this.#mark.decided, at) };
  }

  #keep(mark: ScheduleMark): void {
    this.#deps.marks.put(this.#definition.name, mark);
    this.#mark = mark;
  }
}
