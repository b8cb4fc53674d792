import { MASK } from "@orphus/agent-trace/redact";
import { readEnvFiles } from "../config/env-file.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import type { HeldRun } from "../protocol/keeper.ts";
import type { RunIntake } from "../record/intake.ts";
import { interruptRun } from "../record/recover.ts";
import type { RunRecord } from "../store/read.ts";
import { isInherited } from "./environment.ts";
import type { Keeper } from "./keepers.ts";
import { heldName, LiveRun } from "./live-run.ts";
import type { RunStarterDeps } from "./run-starter.ts";
import { endStrays, environmentOf } from "./strays.ts";

type Definitions = ReadonlyMap<string, HarnessDefinition>;
interface Found {
  keeper: Keeper;
  held: HeldRun;
}

/**
 * At boot, before anything is started: what an earlier daemon left is taken over, or closed. An open row whose run is held
 * is followed from where its record ends; one that nobody holds is interrupted, and what is left of it ended; a held run
 * without an open row is ended and forgotten.
 */
export const adoptRuns = async (deps: RunStarterDeps, definitions: Definitions): Promise<LiveRun[]> => {
  const held = await heldRuns(deps);
  const adopted: LiveRun[] = [];
  for (const record of deps.store.ledger.openRuns()) {
    const found = held.get(heldName(record));
    held.delete(heldName(record));
    const live =
      found === undefined
        ? await interrupt(deps, record, definitions)
        : await take(deps, record, found, definitions);
    if (live !== undefined) adopted.push(live);
  }
  for (const found of held.values()) await dismiss(deps, found);
  return adopted;
};

const heldRuns = async ({ keepers, log }: RunStarterDeps): Promise<Map<string, Found>> => {
  const found = new Map<string, Found>();
  for (const keeper of await keepers.existing((message) => log.warn(message))) {
    for (const held of await keeper.connection.list()) found.set(held.run, { keeper, held });
  }
  return found;
};

const take = async (
  deps: RunStarterDeps,
  record: RunRecord,
  { keeper, held }: Found,
  definitions: Definitions,
): Promise<LiveRun | undefined> => {
  const { store, clock, log } = deps;
  if ("failure" in held) {
    const reason = `spawn: ${held.failure.message}`;
    store.ledger.close(record, { outcome: "failed", reason, endedAt: clock.now() });
    await keeper.connection.forget(held.run);
    return undefined;
  }
  // The earlier daemon may have ended between the spawn and this.
  if (record.pid === undefined) store.ledger.spawned(record, { ...held.child, keeper: keeper.generation });
  const definition = definitions.get(record.harness);
  const intake = await deps.openIntake({
    harness: record.harness,
    runId: record.runId,
    agent: record.agent,
    workdir: workdirOf(record, definition),
    secrets: secretsOf(definition, held.child.pid),
    recordTrace: record.recordTrace,
    ...(held.terminal === undefined ? {} : { terminal: held.terminal }),
  });
  const limit = definition?.timeoutMs ?? 0;
  const timeoutMs = limit === 0 ? undefined : record.startedAt + limit - clock.now();
  log.info(`${held.run} goes on: pid ${held.child.pid}`);
  return new LiveRun(deps, {
    ref: { harness: record.harness, runId: record.runId },
    keeper,
    child: held.child,
    intake,
    timeoutMs,
  });
};

/** The ledger's; a masked one tells nothing any more, so that the configuration has to say it. */
const workdirOf = ({ workdir }: RunRecord, definition: HarnessDefinition | undefined): string =>
  workdir?.includes(MASK) === true ? (definition?.workdir ?? workdir) : (workdir ?? "/");

/** The env files as they are now, and what the process itself was given beyond what every run gets. */
const secretsOf = (definition: HarnessDefinition | undefined, pid: number): string[] => {
  const given = [...environmentOf(pid)]
    .filter(([name]) => !isInherited(name) && !name.startsWith("HARNESS_"))
    .map(([, value]) => value);
  return [...new Set([...given, ...Object.values(entriesOf(definition))])];
};

const entriesOf = (definition: HarnessDefinition | undefined): Record<string, string> => {
  try {
    return readEnvFiles(definition?.envFiles ?? []);
  } catch {
    // The file has gone since; the process still has what it was given.
    return {};
  }
};

const interrupt = async (
  deps: RunStarterDeps,
  record: RunRecord,
  definitions: Definitions,
): Promise<undefined> => {
  const { store, clock, log, stateDir } = deps;
  const strays = endStrays({ harness: record.harness, runId: record.runId, stateDir }, clock);
  const cause = record.pid === undefined ? "daemon_crash" : "keeper_gone";
  await interruptRun(store, record, cause, clock.now(), await begunIntake(deps, record, definitions));
  log.warn(
    `${heldName(record)} is interrupted: nothing holds it; ${strays.length} processes of it are ended`,
  );
};

/** The intake of a run whose stream was begun: it has what was open when the run was lost. */
const begunIntake = async (
  { store, openIntake }: RunStarterDeps,
  record: RunRecord,
  definitions: Definitions,
): Promise<RunIntake | undefined> => {
  const { harness, runId, agent, workdir = "/", recordTrace } = record;
  if (store.cursor(`run:${harness}/${runId}:stdout`) === undefined) return undefined;
  const secrets = Object.values(entriesOf(definitions.get(harness)));
  return openIntake({ harness, runId, agent, workdir, secrets, recordTrace });
};

const dismiss = async ({ log }: RunStarterDeps, { keeper, held }: Found): Promise<void> => {
  log.warn(`${held.run} is held, and the ledger does not know it as open; it is ended`);
  if ("child" in held) await keeper.connection.signalGroup(held.run, "SIGKILL");
  await keeper.connection.forget(held.run);
};
