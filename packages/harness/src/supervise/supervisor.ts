import { readFileSync } from "node:fs";
import { HarnessError } from "../base/errors.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import type { TerminalSize } from "../protocol/keeper.ts";
import { adoptRuns } from "./adoption.ts";
import type { Firing } from "./firing.ts";
import { HarnessActor, type HarnessState, type StartedRun } from "./harness-actor.ts";
import { Keepers } from "./keepers.ts";
import type { RunRef } from "../store/read.ts";
import { RunStarter, type Decision, type RunStarterDeps } from "./run-starter.ts";

export type SupervisorDeps = Omit<RunStarterDeps, "keepers" | "epoch" | "bootId">;

/** Runs harnesses: one actor for each, all through the keeper. */
export class Supervisor {
  readonly #deps: RunStarterDeps;
  readonly #keepers: Keepers;
  readonly #starter: RunStarter;
  readonly #actors = new Map<string, HarnessActor>();
  #closing = false;

  /** Counts the epoch up; one supervisor for each daemon that holds the state folder's lock. */
  constructor(deps: SupervisorDeps) {
    const epoch = deps.store.epoch.next();
    this.#keepers = new Keepers({ stateDir: deps.stateDir, epoch });
    this.#deps = { ...deps, keepers: this.#keepers, epoch, bootId: bootId() };
    this.#starter = new RunStarter(this.#deps);
  }

  /** Takes over, or closes, what an earlier daemon left. Once, before any start; resolves to how many runs go on. */
  async adopt(definitions: ReadonlyMap<string, HarnessDefinition>): Promise<number> {
    const runs = await adoptRuns(this.#deps, definitions);
    for (const live of runs) this.#actor(live.ref.harness).adopt(live);
    return runs.length;
  }

  /** What a harness does now. */
  state(name: string): { state: HarnessState; pid?: number } {
    return this.#actors.get(name)?.state ?? { state: "stopped" };
  }

  /** How many harnesses have a run that is on. */
  get running(): number {
    return [...this.#actors.values()].filter(
      ({ state }) => state.state !== "stopped" && state.state !== "failed",
    ).length;
  }

  /** Starts a run, or records why none was started. By `on_overlap` it may have to wait: its row is open all the same. */
  async start(definition: HarnessDefinition, firing: Firing): Promise<StartedRun> {
    if (this.#closing)
      throw new HarnessError("daemon_not_running", "The daemon is stopping; nothing is started.");
    return this.#actor(definition.name).start(definition, firing);
  }

  /** Records a firing that starts nothing, such as a due time that was missed. */
  record(definition: HarnessDefinition, firing: Firing, decision: Decision): RunRef {
    return this.#starter.decide(definition, firing, decision);
  }

  /** Ends what the harness is running and what waits for it; resolves when both are recorded. */
  async stop(name: string): Promise<void> {
    await this.#actors.get(name)?.stop("operator");
  }

  /** Input for the terminal that the harness runs on; nothing where it runs on none. */
  input(name: string, bytes: Uint8Array): void {
    this.#actors.get(name)?.live?.input(bytes);
  }

  resize(name: string, size: TerminalSize): void {
    this.#actors.get(name)?.live?.resize(size);
  }

  /** Resolves when what the harness is running has ended, at once when there is nothing. */
  async idle(name: string): Promise<void> {
    await this.#actors.get(name)?.idle();
  }

  /**
   * Ends supervision. `end`: every run is stopped and recorded as interrupted, and the keeper ends. `leave`: runs go on
   * with their keeper until the next daemon adopts them.
   */
  async close(runs: "end" | "leave"): Promise<void> {
    this.#closing = true;
    await Promise.all(
      Array.from(this.#actors.values(), (actor) => (runs === "end" ? actor.stop("shutdown") : actor.leave())),
    );
    await this.#keepers.close();
  }

  #actor(name: string): HarnessActor {
    const actor = this.#actors.get(name) ?? new HarnessActor(this.#starter);
    this.#actors.set(name, actor);
    return actor;
  }
}

/** This start of the machine, where the kernel names it. */
const bootId = (): string | undefined => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
};
