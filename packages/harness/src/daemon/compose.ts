import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Mask } from "../base/mask.ts";
import type { StatePaths } from "../base/paths.ts";
import { createBus } from "../record/bus.ts";
import { finishRescans } from "../record/rescan.ts";
import { Parking } from "../schedule/parking.ts";
import { Scheduler } from "../schedule/scheduler.ts";
import { openStore } from "../store/store.ts";
import type { Notify } from "../supervise/needs.ts";
import { Supervisor } from "../supervise/supervisor.ts";
import { Webhooks } from "../trigger/webhooks.ts";
import { Terminals } from "../attach/terminals.ts";
import { createEventPause } from "./event-pause.ts";
import { createHandlers } from "./handlers.ts";
import { openHttp, type HttpSide } from "./http.ts";
import { openRunIntake } from "./intakes.ts";
import type { LiveConfig } from "./live-config.ts";
import { pruneRunFiles } from "./keep-runs.ts";
import { oneAtATime, runRescan } from "./rescan.ts";
import type { Handlers } from "./serve.ts";
import type { StopRequest } from "./signals.ts";

export interface Surroundings {
  config: LiveConfig;
  paths: StatePaths;
  clock: Clock;
  log: Log;
  /** The redactor by the operator's rules as well, for the daemon's own words. */
  mask: Mask;
  /** The rules of {@link Surroundings.mask}, as the ledger names them. */
  ruleSet: string;
  /** The operator's home, which runs have as theirs. */
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The mask the daemon was started with; its children get it back. */
  umask: number;
  /** Masks within the strings of a line of JSON. */
  maskJson(line: string): string;
  /** Ends the daemon. */
  stop(request: StopRequest): void;
}

/** The rooms of the daemon, connected. */
export interface Daemon {
  handlers: Handlers;
  /** Ends supervision, with or without the runs, then the record. */
  close(runs: StopRequest["runs"]): Promise<void>;
}

/** No HTTP side, as before the first webhook. */
const CLOSED: HttpSide = { close: async () => undefined };

/** Files of scratch runs are kept for as many runs as those of a harness that does not say. */
const KEEP_RUNS = 20;

/** What follows the starts and ends of runs: a line in the daemon's log, and room on the disk. */
const onRuns = ({ log, config, paths }: Surroundings, terminals: Terminals, parking: Parking): Notify => ({
  started: ({ harness, runId }) => log.info(`${harness} run ${runId} started`),
  ended: (record) => {
    const { harness, runId, outcome, reason } = record;
    parking.ended(record);
    const how = `${outcome}${reason === undefined ? "" : `, ${reason}`}`;
    log.info(`${harness} run ${runId} ended: ${how}`);
    terminals.close({ harness, runId }, `run ${runId} has ended: ${how}`);
    try {
      pruneRunFiles(paths.jobs(harness), config.now.harnesses.get(harness)?.keepRuns ?? KEEP_RUNS);
    } catch (error) {
      log.warn(`old files of ${harness} cannot be removed: ${String(error)}`);
    }
  },
});

/** Opens the store, takes over what an earlier daemon left, and is then ready for requests. */
export const compose = async (surroundings: Surroundings): Promise<Daemon> => {
  const { config, paths, clock, log, mask, env, umask } = surroundings;
  const store = openStore(paths.store, { mask, ruleSet: surroundings.ruleSet });
  finishRescans({ store, paths });
  const bus = createBus();
  const terminals = new Terminals();
  const parking = new Parking({
    clock,
    log,
    parks: store.parks,
    quotaReset: (run) => store.read.quotaReset(run),
    definition: (name) => config.now.harnesses.get(name),
    start: (definition, firing) => supervisor.start(definition, firing),
  });
  const supervisor: Supervisor = new Supervisor({
    clock,
    store,
    bus,
    log,
    env,
    umask,
    stateDir: paths.dir,
    output: terminals,
    size: (harness) => terminals.lastSize(harness),
    admission: parking,
    notify: onRuns(surroundings, terminals, parking),
    openIntake: (run) =>
      openRunIntake(run, { ...surroundings, store, bus, terminals, supervisor: () => supervisor }),
  });
  const scheduler = new Scheduler({
    clock,
    log,
    marks: store.schedules,
    starts: {
      start: (definition, firing) => supervisor.start(definition, firing),
      record: (definition, firing, decision) => supervisor.record(definition, firing, decision),
    },
  });
  const events = createEventPause(store.intents);
  const webhooks = new Webhooks({
    clock,
    log,
    start: (definition, firing) => supervisor.start(definition, firing),
    run: (ref) => store.read.run(ref),
    paused: (harness) => events.paused(harness),
    record: (definition, firing, decision) => supervisor.record(definition, firing, decision),
    hasEvent: (source, id, since) => store.read.hasEvent(source, id, since),
    mask: (line) => surroundings.maskJson(line),
  });
  let http: HttpSide | undefined;
  const close: Daemon["close"] = async (runs) => {
    try {
      await http?.close();
      await scheduler.stop();
      await parking.stop();
      await supervisor.close(runs);
    } finally {
      terminals.closeAll(runs === "end" ? "the daemon has stopped" : "the daemon has left; the run goes on");
      bus.close();
      store.close();
    }
  };
  try {
    const adopted = await supervisor.adopt(config.now.harnesses);
    if (adopted > 0) log.info(`${adopted} runs of the daemon before go on`);
    for (const name of await supervisor.startDue("autostart")) log.info(`${name} is started with the daemon`);
    scheduler.configure(config.now.harnesses);
    scheduler.start();
    parking.start();
    webhooks.configure(config.now);
    http = await openHttp(config.now, webhooks, log);
  } catch (error) {
    await close("leave");
    throw error;
  }
  config.appliedBy({
    apply: async (next, added) => {
      supervisor.configure(next.harnesses);
      scheduler.configure(next.harnesses);
      webhooks.configure(next);
      // The first webhook opens the side that there was no use for.
      if (http?.url === undefined) http = await openHttp(next, webhooks, log);
      return supervisor.startDue("reload", added);
    },
    restartToApply: () => supervisor.live.filter((name) => supervisor.status(name).changed),
  });
  const handlers = createHandlers({
    ...surroundings,
    startedAt: clock.now(),
    fleet: supervisor,
    scheduler,
    events,
    parking,
    get http() {
      return http ?? CLOSED;
    },
    sources: { store: store.read, paths },
    rescan: oneAtATime((check) => runRescan({ store, paths, rules: config.now.redactRules }, check)),
    bus,
    terminals,
  });
  return { handlers, close };
};
