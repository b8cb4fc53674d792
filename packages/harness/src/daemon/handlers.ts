import type { Clock } from "../base/clock.ts";
import { HarnessError } from "../base/errors.ts";
import type { Mask } from "../base/mask.ts";
import type { StatePaths } from "../base/paths.ts";
import { version } from "../base/version.ts";
import { isOneShot, type HarnessDefinition } from "../config/definition.ts";
import { isScratchName, scratchNames } from "../config/scratch-name.ts";
import {
  PROTOCOL_VERSION,
  speaksWith,
  type HarnessRow,
  type Methods,
  type RunRow,
} from "../protocol/methods.ts";
import { definitionColumns } from "../query/harness-row.ts";
import { runRow, type Sources } from "../query/run-row.ts";
import { lastRun, runs } from "../query/runs.ts";
import type { Terminals } from "../attach/terminals.ts";
import type { Bus } from "../record/bus.ts";
import type { Parking, ParkState } from "../schedule/parking.ts";
import type { Scheduler, ScheduleState } from "../schedule/scheduler.ts";
import type { RunRef } from "../store/read.ts";
import type { HarnessStatus } from "../supervise/harness-actor.ts";
import type { EventPause } from "./event-pause.ts";
import { eventFromFile } from "./event-file.ts";
import type { HttpSide } from "./http.ts";
import type { Fleet, StartedRun } from "./fleet.ts";
import type { LiveConfig } from "./live-config.ts";
import { patientPage } from "./patient-page.ts";
import { scratchDefinition } from "./scratch.ts";
import type { Handlers } from "./serve.ts";
import type { StopRequest } from "./signals.ts";

export interface HandlerDeps {
  config: LiveConfig;
  paths: StatePaths;
  clock: Clock;
  mask: Mask;
  /** Wall time in ms. */
  startedAt: number;
  fleet: Fleet;
  sources: Sources;
  bus: Bus;
  http: Pick<HttpSide, "url" | "problem">;
  /** Masks within the strings of a line of JSON. */
  maskJson(line: string): string;
  terminals: Terminals;
  parking: Pick<Parking, "state" | "clear">;
  scheduler: Pick<Scheduler, "state" | "pause">;
  events: EventPause;
  /** Masks the record anew, or only looks. One at a time. */
  rescan(check: boolean): Promise<Methods["rescan"]["result"]>;
  /** Ends the daemon. */
  stop(request: StopRequest): void;
}

/** The daemon's answers. */
export const createHandlers = (deps: HandlerDeps): Handlers => ({
  hello: ({ protocol }) => hello(deps, protocol),
  list: () => list(deps),
  runs: (query) => runs(deps.sources, query),
  logs: (query, { gone }) => {
    // A harness that is neither defined nor on record is a mistyped one.
    if (deps.sources.store.latestRun(query.name) === undefined) defined(deps, query.name);
    return patientPage(deps, query, gone);
  },
  trigger: async ({ name, wait, eventFile }) => {
    const definition = defined(deps, name);
    const event = eventFile === undefined ? {} : eventFromFile(eventFile, deps.clock.now(), deps.maskJson);
    return settled(deps, await deps.fleet.start(definition, { trigger: "manual", ...event }), wait);
  },
  run: async ({ wait, ...request }) => {
    const definition = scratchDefinition(request, freeScratchName(deps.fleet));
    return settled(deps, await deps.fleet.start(definition, { trigger: "scratch" }), wait);
  },
  stop: async ({ name }) => {
    if (!isScratchName(name) && !deps.fleet.live.includes(name)) defined(deps, name);
    pause(deps, name, true);
    deps.parking.clear(name);
    await deps.fleet.stop(name);
    return rowNamed(deps, name);
  },
  capture: async ({ name }) => ({ harness: name, ...(await deps.terminals.capture(name)) }),
  attach: ({ name, readOnly }, caller) => {
    const runId = deps.terminals.runOf(name);
    const options = { readOnly: readOnly === true, since: deps.clock.now() };
    caller.handOver((connection) => deps.terminals.attach(name, connection, options));
    return { harness: name, runId };
  },
  start: async ({ name }) => {
    const definition = defined(deps, name);
    deps.parking.clear(name);
    if (definition.schedule !== undefined || hasEvents(definition)) pause(deps, name, false);
    else if (isOneShot(definition)) throw notStartable(name);
    else if (!isOn(deps.fleet.status(name))) await deps.fleet.start(definition, { trigger: "manual" });
    return harnessRow(deps, definition);
  },
  restart: async ({ name }) => {
    const definition = defined(deps, name);
    await deps.fleet.restart(definition);
    return harnessRow(deps, definition);
  },
  rescan: ({ check }) => deps.rescan(check === true),
  reload: () => deps.config.reload("asked to by a client"),
  shutdown: ({ leaveRuns }) => {
    deps.stop({ runs: leaveRuns === true ? "leave" : "end", why: "asked to by a client" });
    return { pid: process.pid };
  },
});

const hello = (deps: HandlerDeps, protocol: string): Methods["hello"]["result"] => {
  if (!speaksWith(PROTOCOL_VERSION, protocol)) {
    throw new HarnessError(
      "version_mismatch",
      `The daemon speaks protocol ${PROTOCOL_VERSION}, the client ${protocol}.`,
      {
        hint: "restart the daemon with the version you are calling: harness daemon stop, harness daemon --detach",
      },
    );
  }
  const { paths, fleet, startedAt, http, mask } = deps;
  const config = deps.config.now;
  const { problem } = deps.config;
  return {
    version,
    protocol: PROTOCOL_VERSION,
    pid: process.pid,
    startedAt: new Date(startedAt).toISOString(),
    socket: mask(paths.socket),
    stateDir: mask(paths.dir),
    config: config.file === null ? null : mask(config.file),
    ...(problem !== undefined && { configProblem: mask(problem) }),
    harnesses: config.harnesses.size,
    running: fleet.running,
    ...(http.url !== undefined && { http: http.url }),
    ...(http.problem !== undefined && { httpProblem: http.problem }),
  };
};

const defined = ({ config }: HandlerDeps, name: string): HarnessDefinition => {
  const definition = config.now.harnesses.get(name);
  if (definition !== undefined) return definition;
  const names = [...config.now.harnesses.keys()].join(", ");
  throw new HarnessError("unknown_harness", `There is no harness named ${name}.`, {
    hint: names === "" ? "the configuration defines none" : `the configuration defines: ${names}`,
  });
};

/** Whether a run is on that a start would only double. */
const isOn = ({ state }: HarnessStatus): boolean =>
  state === "running" || state === "starting" || state === "stopping";

/** Whether events start it, and so whether `stop` is to keep them from it. A resident is kept down by itself. */
const hasEvents = (definition: HarnessDefinition | undefined): boolean =>
  definition !== undefined && isOneShot(definition) && definition.webhooks.length > 0;

/** Has whatever starts it by itself start nothing, or lets it go on. */
const pause = ({ scheduler, events, config }: HandlerDeps, name: string, paused: boolean): void => {
  scheduler.pause(name, paused);
  if (hasEvents(config.now.harnesses.get(name))) events.pause(name, paused);
};

const notStartable = (name: string): HarnessError =>
  new HarnessError("bad_request", `${name} has no schedule or webhook to go on with.`, {
    hint: `run it now with: harness trigger ${name}`,
  });

/** Throw-away runs do not wait for each other: each takes the first name that is free. */
const freeScratchName = (fleet: Fleet): string => {
  for (const name of scratchNames()) {
    const { state } = fleet.status(name);
    if (state === "stopped" || state === "failed") return name;
  }
  throw new HarnessError("run_in_flight", "Too many throw-away runs are on.", {
    hint: "stop one: harness stop NAME",
  });
};

/** Those of the configuration, and those that run and are not of it any more. */
const list = (deps: HandlerDeps): HarnessRow[] => {
  const { harnesses } = deps.config.now;
  const removed = deps.fleet.live.filter((name) => !harnesses.has(name) && !isScratchName(name));
  return [
    ...Array.from(harnesses.values(), (definition) => harnessRow(deps, definition)),
    ...removed.map((name) => ({ ...rowNamed(deps, name), removed: true })),
  ];
};

const harnessRow = (deps: HandlerDeps, definition: HarnessDefinition): HarnessRow => {
  const { name, webhooks } = definition;
  const run = lastRun(deps.sources, name);
  return {
    ...definitionColumns(definition, deps.mask),
    ...statusFields(deps.fleet.status(name)),
    ...terminalFields(deps.terminals, name),
    ...scheduleFields(deps.scheduler.state(name)),
    ...parkFields(deps.parking.state(name)),
    ...(hasEvents(definition) && deps.events.paused(name) && { paused: true }),
    ...(isOneShot(definition) && { oneshot: true }),
    ...(webhooks.length > 0 && { triggers: webhooks.map((each) => `webhook.${each}`) }),
    ...(run !== undefined && { lastRun: run }),
  };
};

const statusFields = (status: HarnessStatus): Omit<HarnessRow, "name" | "kind" | "workdir"> => {
  const { state, pid, enabled, restarts, looping, failed, nextStart, changed } = status;
  return {
    state,
    ...(pid !== undefined && { pid }),
    ...(enabled && { enabled }),
    ...(restarts > 0 && { restarts }),
    ...(looping && { looping }),
    ...(failed !== undefined && { failed }),
    ...(nextStart !== undefined && { nextStart: new Date(nextStart).toISOString() }),
    ...(changed && { changed }),
  };
};

const terminalFields = (terminals: Terminals, name: string): Pick<HarnessRow, "terminal"> => {
  const size = terminals.size(name);
  if (size === undefined) return {};
  const sessions = terminals.sessions(name).map(({ since, ...session }) => ({
    ...session,
    since: new Date(since).toISOString(),
  }));
  return { terminal: { ...size, sessions } };
};

const scheduleFields = (
  state: ScheduleState | undefined,
): Pick<HarnessRow, "schedule" | "nextDue" | "paused"> => ({
  ...(state && { schedule: state.expression }),
  ...(state?.next !== undefined && { nextDue: new Date(state.next).toISOString() }),
  ...(state?.paused === true && { paused: true }),
});

const parkFields = (state: ParkState | undefined): Pick<HarnessRow, "parkedUntil" | "resumes"> =>
  state === undefined ? {} : { parkedUntil: new Date(state.until).toISOString(), resumes: state.resumes };

const rowNamed = (deps: HandlerDeps, name: string): HarnessRow => {
  const definition = deps.config.now.harnesses.get(name);
  if (definition !== undefined) return harnessRow(deps, definition);
  const run = lastRun(deps.sources, name);
  return {
    name,
    kind: run?.agent ?? "",
    ...statusFields(deps.fleet.status(name)),
    workdir: "",
    ...(run && { lastRun: run }),
  };
};

const settled = async (deps: HandlerDeps, run: StartedRun, wait = false): Promise<RunRow> => {
  if (wait) await run.ended;
  return rowOf(deps, run.ref);
};

const rowOf = ({ sources }: HandlerDeps, ref: RunRef): RunRow => {
  const run = sources.store.run(ref);
  if (run !== undefined) return runRow(sources, run);
  throw new HarnessError("unknown_run", `${ref.harness} has no run ${ref.runId}.`);
};
