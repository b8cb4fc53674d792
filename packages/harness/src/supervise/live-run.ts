import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { ChildExit, ChildIdentity, HeldRun, KeeperChannel, TerminalSize } from "../protocol/keeper.ts";
import type { Bus } from "../record/bus.ts";
import { closeRun } from "../record/close-run.ts";
import type { ProcessEnd, RunIntake } from "../record/intake.ts";
import { interruptRun } from "../record/recover.ts";
import type { RunRecord, RunRef } from "../store/read.ts";
import type { Store } from "../store/store.ts";
import { Drain } from "./drain.ts";
import { Ending, type StopReason } from "./ending.ts";
import type { Loss, RunFollower } from "./keeper-connection.ts";
import type { Keeper } from "./keepers.ts";
import type { OutputSink } from "./needs.ts";
import { endStrays } from "./strays.ts";

export interface LiveRunDeps {
  clock: Clock;
  store: Store;
  bus: Bus;
  log: Log;
  stateDir: string;
  output?: OutputSink | undefined;
}

export interface LiveRunOptions {
  ref: RunRef;
  keeper: Keeper;
  child: ChildIdentity;
  intake: RunIntake;
  /** Milliseconds until the run is stopped as timed out; absent = never. */
  timeoutMs?: number | undefined;
  /** Monotonic time at which the run was asked for; absent for one that an earlier daemon started. */
  since?: number;
}

/** The keeper's name for a run. */
export const heldName = ({ harness, runId }: RunRef): string => `${harness}#${runId}`;

/** `setTimeout` counts in 31 bits, and fires at once beyond them. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What an object with known keys has. */
const entriesOf = <Key extends string, Value>(
  object: Readonly<Partial<Record<Key, Value>>>,
): [Key, Value][] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type names all keys, and absent ones are not listed
  Object.entries(object) as [Key, Value][];

type HeldChild = Extract<HeldRun, { child: ChildIdentity }>;
type Fact<Value> = { promise: Promise<Value>; resolve(value: Value): void };

/**
 * One run with a process: feeds its bytes to the intake, gives the keeper credit for what is committed, ends it when asked
 * to, and closes it: exit, drain, intake, ledger, forget, in this order.
 */
export class LiveRun implements RunFollower {
  readonly ref: RunRef;
  readonly child: ChildIdentity;
  readonly #deps: LiveRunDeps;
  readonly #options: LiveRunOptions;
  readonly #drain: Drain;
  readonly #ending: Ending;
  readonly #exit: Fact<ChildExit> = Promise.withResolvers<ChildExit>();
  readonly #loss: Fact<Loss> = Promise.withResolvers<Loss>();
  readonly #drained: Fact<void> = Promise.withResolvers<void>();
  readonly #channels = new Map<KeeperChannel, { next: number; length?: number }>();
  #stopTimer: (() => void) | undefined;
  #abandoned = false;

  constructor(deps: LiveRunDeps, options: LiveRunOptions) {
    this.#deps = deps;
    this.#options = options;
    this.ref = options.ref;
    this.child = options.child;
    this.#drain = new Drain(deps.clock);
    this.#ending = new Ending(deps.clock, (signal) => this.#signal(signal));
    for (const [channel, next] of entriesOf(options.intake.position)) this.#channels.set(channel, { next });
    options.intake.onCommitted((channel, offset) => {
      this.#drain.progressed();
      options.keeper.connection.ack(this.#name, channel, offset);
    });
  }

  get stopping(): boolean {
    return this.#ending.reason !== undefined;
  }

  /** Why it is being ended, or was. */
  get stopReason(): StopReason | undefined {
    return this.#ending.reason;
  }

  /** Ends the run's whole group: SIGTERM, and SIGKILL after the grace. */
  stop(reason: StopReason): void {
    this.#ending.ask(reason);
  }

  /** Input for its terminal, where it has one. */
  input(bytes: Uint8Array): void {
    this.#options.keeper.connection.write(this.#name, bytes);
  }

  resize(size: TerminalSize): void {
    this.#options.keeper.connection.resize(this.#name, size);
  }

  /** Follows the run to its end and resolves to its closed row; undefined when it goes on without this daemon. */
  async follow(): Promise<RunRecord | undefined> {
    const { keeper, timeoutMs } = this.#options;
    keeper.connection.follow(this.#name, this);
    this.#ending.begin();
    if (timeoutMs !== undefined) {
      const ms = Math.min(Math.max(timeoutMs, 0), LONGEST_TIMER_MS);
      this.#stopTimer = this.#deps.clock.after(ms, () => this.stop("timeout"));
    }
    const lost = this.#loss.promise.then((loss) => ({ loss }));
    const ended = this.#readToEnd().then(
      (exit) => ({ exit }),
      (error: unknown) => {
        // The loss is on its way, and says what it was.
        if (!keeper.connection.open) return lost;
        throw error;
      },
    );
    const first = await Promise.race([ended, lost]);
    this.#stopTimer?.();
    return "loss" in first ? this.#lose(first.loss) : this.#close(first.exit);
  }

  /** Lets the run go on without this daemon: the keeper holds it for the next one. */
  abandon(): void {
    this.#abandoned = true;
    this.#loss.resolve("displaced");
  }

  data(channel: KeeperChannel, from: number, bytes: Uint8Array): void {
    if (this.#abandoned) return;
    this.#drain.progressed();
    this.#options.intake.write(channel, from, bytes);
    this.#deps.output?.write(this.ref, channel, from, bytes);
    this.#see(channel, { next: from + bytes.length });
  }

  eof(channel: KeeperChannel, length: number): void {
    if (this.#abandoned || this.#channels.get(channel)?.length !== undefined) return;
    this.#see(channel, { length });
  }

  exit(exit: ChildExit): void {
    this.#exit.resolve(exit);
  }

  groupGone(): void {
    this.#ending.over();
  }

  lost(loss: Loss): void {
    this.#loss.resolve(loss);
  }

  get #name(): string {
    return heldName(this.ref);
  }

  async #readToEnd(): Promise<ChildExit> {
    const { connection } = this.#options.keeper;
    // What happened before this run was followed was told to nobody.
    const held = (await connection.list()).find(({ run }) => run === this.#name);
    if (held !== undefined && "child" in held) this.#recall(held);
    for (const [channel, { next }] of this.#channels) {
      await connection.read(this.#name, channel, next);
    }
    const exit = await this.#exit.promise;
    this.#stopTimer?.();
    const whole = await this.#drain.wait(this.#drained.promise);
    if (!whole) {
      this.#deps.store.ledger.note(
        this.ref,
        "A process that outlived the run kept its output open; what it wrote later is not in the record.",
      );
    }
    if (this.#ending.reason !== undefined) await this.#ending.settled;
    return exit;
  }

  async #close(exit: ChildExit): Promise<RunRecord> {
    const { clock, store, bus } = this.#deps;
    const { intake, keeper, since } = this.#options;
    const stoppedBy = this.#ending.reason;
    const end: ProcessEnd = { ...exit, ...(stoppedBy === undefined ? {} : { stoppedBy }) };
    const fold = await intake.finish(end);
    const durationMs = since === undefined ? undefined : clock.monotonic() - since;
    const record = closeRun(
      { store, bus },
      this.ref,
      { ...end, ...(durationMs === undefined ? {} : { durationMs }) },
      fold,
    );
    await keeper.connection.forget(this.#name).catch((error: unknown) => {
      this.#deps.log.warn(`${this.#name} is closed, but its keeper could not be told: ${String(error)}`);
    });
    return record;
  }

  /** Nobody holds the run any more, or another daemon does. */
  async #lose(loss: Loss): Promise<RunRecord | undefined> {
    this.#abandoned = true;
    this.#ending.over();
    const { intake } = this.#options;
    if (loss === "displaced") {
      intake.release();
      return undefined;
    }
    const { clock, store, bus, log, stateDir } = this.#deps;
    log.error(`the keeper of ${this.#name} is gone; its processes are ended`);
    endStrays({ ...this.ref, stateDir }, clock);
    const record = await interruptRun(store, this.ref, "keeper_gone", clock.now(), intake);
    bus.publish([{ type: "end", run: this.ref }]);
    return record;
  }

  #recall(held: HeldChild): void {
    for (const [channel, { eof, head, tail }] of entriesOf(held.channels)) {
      // Of a terminal all that is still there is read again: its screen is drawn from it.
      if (channel === "pty") this.#see(channel, { next: tail });
      if (eof) this.eof(channel, head);
    }
    if (held.exit !== undefined) this.exit(held.exit);
    if (held.groupGone) this.groupGone();
  }

  #see(channel: KeeperChannel, news: { next?: number; length?: number }): void {
    const known = this.#channels.get(channel);
    if (known === undefined) return;
    Object.assign(known, news);
    if (known.length !== undefined && known.next >= known.length) this.#options.intake.eof(channel);
    const all = [...this.#channels.values()];
    if (all.every(({ next, length }) => length !== undefined && next >= length)) this.#drained.resolve();
  }

  #signal(signal: NodeJS.Signals): void {
    this.#options.keeper.connection.signalGroup(this.#name, signal).then(
      (delivered) => {
        // An empty group will not tell of its end a second time.
        if (!delivered) this.#ending.over();
      },
      () => undefined,
    );
  }
}
