import type {
  ChildIdentity,
  FromKeeper,
  HeldRun,
  KeeperChannel,
  SpawnFailure,
  SpawnSpec,
} from "../protocol/keeper.ts";
import { MAX_CHANNELS, MemoryBudget } from "./memory-budget.ts";
import { reapOrphans } from "./orphans.ts";
import { Run, type RunEvents } from "./run.ts";
import { spawnChild } from "./spawn-child.ts";
import { spawnOnTerminal } from "./spawn-terminal.ts";
import { keeperFull } from "./spawn-failure.ts";

const CHANNELS_PER_RUN = 2;
export const MAX_RUNS = MAX_CHANNELS / CHANNELS_PER_RUN;

/** How long a keeper without runs waits for a daemon to come (back). */
export const LINGER_MS = 10_000;

export interface KeeperClock {
  now(): number;
  /** The returned function cancels. */
  after(ms: number, task: () => void): () => void;
}

/** The daemon that is connected. */
export interface Audience {
  send(message: FromKeeper): void;
  /** More bytes of a channel are held. */
  moreToRead(run: Run, channel: KeeperChannel): void;
  /** Tells that another daemon has taken over, and closes. */
  displace(epoch: number): void;
}

type Spawned = { child: ChildIdentity } | { failure: SpawnFailure };

/** All runs of one generation, and the one daemon that may speak for them. Nothing here is policy. */
export class Keeper {
  readonly #clock: KeeperClock;
  readonly #exit: () => void;
  readonly #budget = new MemoryBudget();
  readonly #runs = new Map<string, Run | { failure: SpawnFailure }>();
  readonly #starting = new Map<string, Promise<Spawned>>();
  /** Children that Node has not reaped yet, forgotten ones as well. */
  readonly #unreaped = new Set<number>();
  #epoch = 0;
  #audience: Audience | undefined;
  #cancelLinger: (() => void) | undefined;

  constructor(clock: KeeperClock, exit: () => void) {
    this.#clock = clock;
    this.#exit = exit;
    this.#linger();
  }

  /** False when a daemon with a higher epoch has been here. The same epoch is the same daemon, connecting again. */
  admit(epoch: number, audience: Audience): boolean {
    if (epoch < this.#epoch) return false;
    this.#epoch = epoch;
    this.#audience?.displace(epoch);
    this.#audience = audience;
    this.#linger();
    return true;
  }

  leave(audience: Audience): void {
    if (this.#audience !== audience) return;
    this.#audience = undefined;
    this.#linger();
  }

  list(): HeldRun[] {
    return [...this.#runs].map(([name, run]) =>
      run instanceof Run ? run.state() : { run: name, failure: run.failure },
    );
  }

  run(name: string): Run | undefined {
    const run = this.#runs.get(name);
    return run instanceof Run ? run : undefined;
  }

  /** Asked again for the same run, answers with the child, or the failure, of the first time. */
  async spawn(name: string, spec: SpawnSpec): Promise<Spawned> {
    const before = this.#runs.get(name) ?? this.#starting.get(name);
    if (before instanceof Run) return { child: before.child };
    if (before !== undefined) return before;
    const starting = this.#start(name, spec);
    this.#starting.set(name, starting);
    this.#linger();
    return starting;
  }

  forget(name: string): boolean {
    const run = this.#runs.get(name);
    if (run instanceof Run) run.drop();
    const known = this.#runs.delete(name);
    this.#linger();
    return known;
  }

  /** Whether nothing is held that would be lost. */
  get idle(): boolean {
    return this.#runs.size + this.#starting.size === 0;
  }

  /** A child of any kind has changed state: reaps adopted orphans, then sees which groups have emptied. */
  childrenChanged(): void {
    reapOrphans((pid) => this.#unreaped.has(pid));
    for (const run of this.#runs.values()) if (run instanceof Run) run.checkGroup();
  }

  async #start(name: string, spec: SpawnSpec): Promise<Spawned> {
    const spawned = await this.#trySpawn(name, spec);
    this.#starting.delete(name);
    if (spawned instanceof Run) {
      this.#runs.set(name, spawned);
      return { child: spawned.child };
    }
    this.#runs.set(name, spawned);
    return spawned;
  }

  async #trySpawn(name: string, spec: SpawnSpec): Promise<Run | { failure: SpawnFailure }> {
    if (this.#runs.size + this.#starting.size >= MAX_RUNS) return { failure: keeperFull(MAX_RUNS) };
    const holder: { run?: Run } = {};
    const spawn = spec.terminal === undefined ? spawnChild : spawnOnTerminal;
    const spawned = await spawn(spec, (code, signal) => {
      // Set below before the event loop turns, so before any child can be seen to exit.
      if (holder.run === undefined) return;
      this.#unreaped.delete(holder.run.child.pid);
      holder.run.ended({ code, signal, at: this.#clock.now() });
    });
    if ("failure" in spawned) return spawned;
    this.#unreaped.add(spawned.child.pid);
    const run: Run = new Run(
      name,
      spawned,
      this.#budget,
      this.#events(name, () => run),
    );
    holder.run = run;
    return run;
  }

  #events(name: string, run: () => Run): RunEvents {
    // A forgotten run still ends; nobody is told.
    const tell = (message: FromKeeper): void => {
      if (this.#runs.has(name)) this.#audience?.send(message);
    };
    return {
      read: (channel) => this.#audience?.moreToRead(run(), channel),
      eof: (channel, length) => tell({ type: "eof", run: name, channel, length }),
      exit: (exit) => tell({ type: "exit", run: name, exit }),
      groupGone: () => tell({ type: "group_gone", run: name }),
    };
  }

  /** Ends the keeper {@link LINGER_MS} after the last moment at which there was a run or a daemon. */
  #linger(): void {
    this.#cancelLinger?.();
    this.#cancelLinger =
      this.#audience === undefined && this.idle ? this.#clock.after(LINGER_MS, this.#exit) : undefined;
  }
}
