import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import type { Park, Parks } from "../store/parks.ts";
import type { RunRecord, RunRef } from "../store/read.ts";
import type { Firing } from "../supervise/firing.ts";
import type { Admission } from "../supervise/needs.ts";
import type { Starts } from "./needs.ts";

export interface ParkingDeps {
  clock: Clock;
  log: Log;
  parks: Parks;
  /** When the run's usage limit ends, by the agent's word; wall time in ms. */
  quotaReset(run: RunRef): number | undefined;
  start: Starts["start"];
  definition(name: string): HarnessDefinition | undefined;
}

/** What is known of a parked harness. */
export type ParkState = Pick<Park, "until" | "resumes">;

const DAY_MS = 86_400_000;
/** A limit that ends later than this is not believed for longer. */
const LONGEST_MS = 8 * DAY_MS;
/** One that ends sooner is waited for by the agent itself. */
const SHORTEST_MS = 60_000;
/** A person's own firings: whoever starts a run by hand knows of the limit, or has lifted it. */
const BY_HAND = new Set(["manual", "scratch"]);
const TICK_MS = 1000;

/**
 * Holds a harness back while its agent's usage limit is used up, and resumes it once when the limit has ended: unless a
 * person came back first, or it has used up as many windows in a row as it may.
 */
export class Parking implements Admission {
  readonly #deps: ParkingDeps;
  readonly #resuming = new Map<string, Promise<void>>();
  readonly #troubled = new Set<string>();
  #cancel: (() => void) | undefined;

  constructor(deps: ParkingDeps) {
    this.#deps = deps;
  }

  /** Begins to look for limits that have ended: at once, and every second from then on. */
  start(): void {
    for (const park of this.#deps.parks.all()) this.#look(park);
    this.#cancel = this.#deps.clock.after(TICK_MS, () => this.start());
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.settled();
  }

  /** Resolves when nothing is being resumed any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#resuming.values());
  }

  /** Until when a harness is parked; undefined when it is not. */
  state(harness: string): ParkState | undefined {
    const park = this.#deps.parks.get(harness);
    if (park === undefined || park.until <= this.#deps.clock.now()) return undefined;
    return { until: park.until, resumes: park.resumes };
  }

  /** A person came back: nothing is held back, and nothing is resumed. */
  clear(harness: string): void {
    if (this.#deps.parks.get(harness) !== undefined) this.#deps.parks.remove(harness);
  }

  admit({ name }: HarnessDefinition, { trigger }: Firing): ReturnType<Admission["admit"]> {
    if (BY_HAND.has(trigger)) this.clear(name);
    const parked = this.state(name);
    if (parked === undefined) return { admitted: true };
    const until = new Date(parked.until).toISOString();
    return { admitted: false, reason: `parked: the agent's usage limit ends at ${until}` };
  }

  /** Hears how a run ended. */
  ended(run: RunRecord): void {
    // A resident keeps its session and waits for the limit itself.
    if (run.kind !== "oneshot") return;
    if (run.outcome === "success") this.clear(run.harness);
    if (run.outcome !== "failed" || (run.totals.errors.quota ?? 0) === 0) return;
    const { clock, log, parks } = this.#deps;
    const now = clock.now();
    const reset = this.#deps.quotaReset(run);
    if (reset === undefined || reset - now < SHORTEST_MS) return;
    const until = Math.min(reset, now + LONGEST_MS);
    const windows = (parks.get(run.harness)?.windows ?? 0) + 1;
    const most = this.#deps.definition(run.harness)?.maxWindows ?? 0;
    const resumes = windows <= most;
    parks.put({ harness: run.harness, until, windows, resumes });
    const then = resumes ? "it is resumed then" : "it is not resumed";
    log.warn(`${run.harness} is parked until ${new Date(until).toISOString()}: usage limit; ${then}`);
  }

  #look(park: Park): void {
    const { clock, log } = this.#deps;
    const { harness } = park;
    if (!park.resumes || park.until > clock.now() || this.#resuming.has(harness)) return;
    const definition = this.#deps.definition(harness);
    if (definition === undefined) {
      this.clear(harness);
      return;
    }
    const resuming = this.#deps
      .start(definition, { trigger: "resume" })
      .then(
        () => {
          this.#troubled.delete(harness);
        },
        (error: unknown) => {
          // It is tried every second; once is enough to say so.
          if (!this.#troubled.has(harness)) log.error(`${harness} cannot be resumed yet: ${String(error)}`);
          this.#troubled.add(harness);
        },
      )
      .finally(() => this.#resuming.delete(harness));
    this.#resuming.set(harness, resuming);
  }
}
