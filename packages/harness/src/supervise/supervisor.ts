import { readFileSync } from "node:fs";
import { HarnessError } from "../base/errors.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import type { TerminalSize } from "../protocol/keeper.ts";
import { adoptRuns } from "./adoption.ts";
import type { Firing } from "./firing.ts";
import { HarnessActor, type HarnessStatus, type StartedRun } from "./harness-actor.ts";
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
  #definitions: ReadonlyMap<string, HarnessDefinition> = new Map();
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
    this.#definitions = definitions;
    const runs = await adoptRuns(this.#deps, definitions);
    for (const live of runs) this.#actor(live.ref.harness).adopt(live);
    return runs.length;
  }

  /**
   * The harnesses as they are configured from now on. What runs goes on as it is; restarts and starts take the new ones.
   * Then {@link Supervisor.startDue}.
   */
  configure(definitions: ReadonlyMap<string, HarnessDefinition>): void {
    this.#definitions = definitions;
  }

  /** Starts what is to run and does not, of those named, or of all. Resolves to the names of what was started. */
  async startDue(trigger: "autostart" | "reload", names?: ReadonlySet<string>): Promise<string[]> {
    const due = [...this.#definitions.values()].filter(
      ({ name }) => (names?.has(name) ?? true) && this.#actor(name).due,
    );
    await Promise.all(due.map((definition) => this.start(definition, { trigger })));
    return due.map(({ name }) => name);
  }

  /** What a harness does now. */
  status(name: string): HarnessStatus {
    return this.#actor(name).status;
  }

  /** Names of the harnesses that have a run on, of the configuration or not. */
  get live(): string[] {
    return [...this.#actors].flatMap(([name, actor]) => (actor.live === undefined ? [] : [name]));
  }

  /** How many harnesses have a run that is on. */
  get running(): number {
    return [...this.#actors.values()].filter(({ on }) => on).length;
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
    await this.#actor(name).stop("operator");
  }

  /** Ends what the harness is running, as the operator's stop does, and starts it anew. */
  async restart(definition: HarnessDefinition): Promise<StartedRun> {
    await this.stop(definition.name);
    return this.start(definition, { trigger: "manual" });
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
    const actor =
      this.#actors.get(name) ?? new HarnessActor(name, this.#starter, () => this.#definitions.get(name));
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
