import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Intents } from "../store/intents.ts";
import { HarnessError } from "../base/errors.ts";
import { isOneShot, type HarnessDefinition } from "../config/definition.ts";
import type { SpawnFailure, TerminalSize } from "../protocol/keeper.ts";
import { statePaths } from "../base/paths.ts";
import type { RunIdentity, RunIntake } from "../record/intake.ts";
import type { RunRecord, RunRef } from "../store/read.ts";
import type { Ledger } from "../store/ledger.ts";
import type { Variables } from "./environment.ts";
import type { Keepers } from "./keepers.ts";
import type { Firing } from "./firing.ts";
import { agentOf, launchSpec, type LaunchSpec } from "./launch-spec.ts";
import { heldName, LiveRun, type LiveRunDeps } from "./live-run.ts";
import type { Admission, Notify } from "./needs.ts";

export interface RunStarterDeps extends LiveRunDeps {
  keepers: Keepers;
  /** Opens the intake of a run whose ledger row is open. */
  openIntake(identity: RunIdentity): RunIntake | Promise<RunIntake>;
  /** The daemon's own environment, from which a run gets a few variables. */
  env: Variables;
  /** The mask the daemon was started with, before it narrowed its own. */
  umask: number;
  /** The size that a harness's terminal had last. */
  size?: ((harness: string) => TerminalSize | undefined) | undefined;
  /** This daemon's number, and this start of the machine. */
  epoch: number;
  bootId?: string | undefined;
  admission?: Admission | undefined;
  notify?: Notify | undefined;
}

type Ending = Omit<Parameters<Ledger["close"]>[1], "endedAt">;

/** What became of a firing that starts nothing. */
export type Decision = Pick<Ending, "outcome" | "reason">;

/** Everything between a request and a process, in the order that a crash at any point can be told from any other. */
export class RunStarter {
  readonly #deps: RunStarterDeps;

  constructor(deps: RunStarterDeps) {
    this.#deps = deps;
  }

  /** What deciding on restarts needs. */
  get keepUp(): { clock: Clock; log: Log; intents: Intents } {
    const { clock, log, store } = this.#deps;
    return { clock, log, intents: store.intents };
  }

  record(ref: RunRef): RunRecord | undefined {
    return this.#deps.store.ledger.get(ref);
  }

  admit(definition: HarnessDefinition, firing: Firing): ReturnType<Admission["admit"]> {
    return this.#deps.admission?.admit(definition, firing) ?? { admitted: true };
  }

  /** Opens the run's ledger row; on disk when it returns. */
  open(definition: HarnessDefinition, firing: Firing): RunRef {
    const runId = this.#deps.store.ledger.open(this.#newRun(definition, firing));
    return { harness: definition.name, runId };
  }

  /** Records a firing that starts nothing. */
  decide(definition: HarnessDefinition, firing: Firing, decision: Decision): RunRef {
    const run = this.#newRun(definition, firing);
    // What was missed has its place in the list where it was due.
    const startedAt = decision.outcome === "missed" ? (firing.due?.at ?? run.startedAt) : run.startedAt;
    const runId = this.#deps.store.ledger.decided({ ...run, startedAt }, { ...decision, endedAt: startedAt });
    return { harness: definition.name, runId };
  }

  /** Closes a run that never had a process. */
  close(ref: RunRef, ending: Ending): RunRecord {
    const { store, bus, clock, notify } = this.#deps;
    const record = store.ledger.close(ref, { ...ending, endedAt: clock.now() });
    bus.publish([{ type: "end", run: ref }]);
    notify?.ended(record);
    return record;
  }

  /** Starts the process of an open run; undefined when there is none, and the row then says why. */
  async start(ref: RunRef, definition: HarnessDefinition, firing: Firing): Promise<LiveRun | undefined> {
    const { clock, keepers, store, stateDir, notify } = this.#deps;
    const since = clock.monotonic();
    let intake: RunIntake | undefined;
    try {
      const launch = launchSpec(definition, { ...ref, ...firingMarks(ref, firing, stateDir) }, this.#deps);
      const keeper = await keepers.current();
      intake = await this.#deps.openIntake(identityOf(ref, definition, launch));
      const spawned = await keeper.connection.spawn(heldName(ref), launch.spec);
      if ("failure" in spawned) {
        intake.release();
        this.close(ref, { outcome: "failed", reason: spawnReason(spawned.failure) });
        await keeper.connection.forget(heldName(ref));
        return undefined;
      }
      const { child } = spawned;
      store.ledger.spawned(ref, { ...child, keeper: keeper.generation });
      notify?.started(ref);
      const timeoutMs = definition.timeoutMs === 0 ? undefined : definition.timeoutMs;
      return new LiveRun(this.#deps, { ref, keeper, child, intake, timeoutMs, since });
    } catch (error) {
      intake?.release();
      this.#failed(ref, error);
      return undefined;
    }
  }

  /** Follows a run to its end. A failure of the record leaves the row open, for the next daemon to close. */
  async follow(live: LiveRun): Promise<RunRecord | undefined> {
    try {
      const record = await live.follow();
      if (record !== undefined) this.#deps.notify?.ended(record);
      return record;
    } catch (error) {
      this.#deps.log.error(`${heldName(live.ref)} cannot be closed: ${String(error)}`);
      return undefined;
    }
  }

  #failed(ref: RunRef, error: unknown): void {
    const { log } = this.#deps;
    log.error(
      `${heldName(ref)} did not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    const reason =
      error instanceof HarnessError ? error.message : "the daemon failed; its log has the details";
    try {
      this.close(ref, { outcome: "failed", reason: `spawn: ${reason}` });
    } catch (failure) {
      log.error(`${heldName(ref)} cannot be closed: ${String(failure)}`);
    }
  }

  #newRun(definition: HarnessDefinition, firing: Firing) {
    const { trigger, source, eventId, due } = firing;
    const { clock, epoch, bootId } = this.#deps;
    return {
      harness: definition.name,
      kind: isOneShot(definition) ? ("oneshot" as const) : ("resident" as const),
      agent: agentOf(definition),
      trigger,
      workdir: definition.workdir,
      recordTrace: definition.recordTrace,
      startedAt: clock.now(),
      epoch,
      ...(source === undefined ? {} : { source }),
      ...(eventId === undefined ? {} : { eventId }),
      ...(due === undefined ? {} : { due }),
      ...(bootId === undefined ? {} : { bootId }),
    };
  }
}

/** What of the firing reaches the run. Its event is written before there is a process, and is nobody else's to read. */
const firingMarks = (ref: RunRef, { trigger, source, event }: Firing, stateDir: string) => {
  const marks = { trigger, stateDir, ...(source === undefined ? {} : { source }) };
  if (event === undefined) return marks;
  const eventFile = statePaths(stateDir).event(ref.harness, ref.runId);
  mkdirSync(dirname(eventFile), { recursive: true, mode: 0o700 });
  writeFileSync(eventFile, event, { mode: 0o600, flag: "wx" });
  return { ...marks, eventFile };
};

const identityOf = (
  ref: RunRef,
  definition: HarnessDefinition,
  { secrets, spec }: LaunchSpec,
): RunIdentity => ({
  ...ref,
  agent: agentOf(definition),
  workdir: definition.workdir,
  secrets,
  recordTrace: definition.recordTrace,
  ...(spec.terminal === undefined ? {} : { terminal: spec.terminal }),
});

const spawnReason = ({ message }: SpawnFailure): string => `spawn: ${message}`;
