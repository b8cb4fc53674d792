import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isOneShot, type HarnessDefinition, type RestartPolicy } from "../config/definition.ts";
import type { Intent, Intents } from "../store/intents.ts";
import type { RunRecord } from "../store/read.ts";
import type { StopReason } from "./ending.ts";
import { RestartCount } from "./restart-count.ts";

export interface KeepUpDeps {
  name: string;
  clock: Clock;
  log: Log;
  intents: Intents;
  /** The harness as it is configured now; undefined when it is not any more. */
  definition(): HarnessDefinition | undefined;
  /** Starts it again. */
  start(definition: HarnessDefinition): void;
}

/** What is known of a run that is over. */
export interface Over {
  record: Pick<RunRecord, "outcome" | "reason" | "durationMs">;
  /** There never was a process. */
  unspawned: boolean;
  stopReason: StopReason | undefined;
  /** What it was started with, where that is known. */
  definition: HarnessDefinition | undefined;
}

/** A wait between an end and the next start. */
export interface Wait {
  /** Wall time in ms. */
  until: number;
  /** It is in a crash loop. */
  looping: boolean;
}

/**
 * Decides what follows the end of a harness's run by its `restart`: another start after a wait, giving up, or nothing. What
 * the operator wants and what was given up is in the store, so that it outlives the daemon.
 */
export class KeepUp {
  readonly #deps: KeepUpDeps;
  readonly #count = new RestartCount();
  #wait: (Wait & { cancel: () => void }) | undefined;
  /** Starts by itself since a person or a firing started it. */
  restarts = 0;

  constructor(deps: KeepUpDeps) {
    this.#deps = deps;
  }

  get wait(): Wait | undefined {
    return this.#wait;
  }

  /** Why it is not started again by itself. */
  get failed(): string | undefined {
    return this.#intent.failed;
  }

  /** Whether it is to run. Of a one-shot nobody says so. */
  get enabled(): boolean {
    const definition = this.#deps.definition();
    return definition !== undefined && !isOneShot(definition) && (this.#intent.enabled ?? definition.enabled);
  }

  get looping(): boolean {
    return this.#count.looping;
  }

  /** It is started by a person or a firing: what was given up is taken up again. */
  wanted(): void {
    this.cancel();
    this.#count.reset();
    this.restarts = 0;
    this.#put({ failed: undefined, ...(this.#isResident() && { enabled: true }) });
  }

  /** The operator has stopped it. */
  unwanted(): void {
    this.cancel();
    this.#put({ failed: undefined, ...(this.#isResident() && { enabled: false }) });
  }

  /** Nothing is started any more by what has ended so far. */
  cancel(): void {
    this.#wait?.cancel();
    this.#wait = undefined;
  }

  /** A run is over, and no other takes its place by itself. */
  over({ record, unspawned, stopReason, definition: started }: Over): void {
    const configured = this.#deps.definition();
    const definition = configured ?? started;
    if (definition === undefined || (stopReason !== undefined && stopReason !== "timeout")) return;
    const failed = record.outcome !== "success";
    const reason = record.reason ?? record.outcome;
    // What is not configured any more is not started again.
    if (configured === undefined || !isWanted(definition.restart, failed)) {
      const forGood = unspawned || record.outcome === "timed_out";
      this.#put({
        failed: forGood ? reason : undefined,
        ...(!isOneShot(definition) && { enabled: false }),
      });
      return;
    }
    const next = this.#count.after({ failed, ranMs: record.durationMs ?? 0 });
    if (next.restart) this.#again(next.afterMs + definition.restartDelayMs, next.looping);
    else this.#giveUp(`given up after ${next.failures} failures in a row; the last: ${reason}`);
  }

  #again(afterMs: number, looping: boolean): void {
    const { clock, name, log } = this.#deps;
    log.info(`${name} is started again in ${afterMs} ms${looping ? "; it is in a crash loop" : ""}`);
    const cancel = clock.after(afterMs, () => {
      this.#wait = undefined;
      const definition = this.#deps.definition();
      if (definition === undefined) return;
      this.restarts += 1;
      this.#deps.start(definition);
    });
    this.#wait = { until: clock.now() + afterMs, looping, cancel };
  }

  #giveUp(failed: string): void {
    this.#deps.log.error(`${this.#deps.name}: ${failed}`);
    this.#put({ failed });
  }

  #isResident(): boolean {
    const definition = this.#deps.definition();
    return definition !== undefined && !isOneShot(definition);
  }

  get #intent(): Intent {
    return this.#deps.intents.get(this.#deps.name);
  }

  /** Written only where it says something new. */
  #put(change: { enabled?: boolean; failed?: string | undefined }): void {
    const before = this.#intent;
    const { enabled, failed } = { ...before, ...change };
    if (enabled === before.enabled && failed === before.failed) return;
    this.#deps.intents.put(this.#deps.name, {
      ...(enabled !== undefined && { enabled }),
      ...(failed !== undefined && { failed }),
    });
  }
}

const isWanted = (policy: RestartPolicy, failed: boolean): boolean =>
  policy === "always" || policy === "unless-stopped" || (policy === "on-failure" && failed);
