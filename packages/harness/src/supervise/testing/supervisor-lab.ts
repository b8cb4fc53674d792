import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { streamLog } from "../../base/log.ts";
import { statePaths, type StatePaths } from "../../base/paths.ts";
import type { HarnessDefinition } from "../../config/definition.ts";
import { createBus } from "../../record/bus.ts";
import { Screen } from "../../screen/screen.ts";
import { openTerminalIntake } from "../../record/terminal/open-terminal-intake.ts";
import type { OpenFileSink } from "../../record/file-sink.ts";
import { openIntake } from "../../record/open-intake.ts";
import type { RunRecord, RunRef } from "../../store/read.ts";
import { openStore, type Store } from "../../store/store.ts";
import type { StartedRun } from "../harness-actor.ts";
import { Supervisor, type SupervisorDeps } from "../supervisor.ts";
import { patientClock, type PatientClock } from "./hand-clock.ts";

/** One daemon's supervision over a state folder: the real store, intake, keeper and processes. */
export interface Daemon {
  supervisor: Supervisor;
  store: Store;
  clock: PatientClock;
  said: string[];
  /** Ends it as `close` does, and the store with it. */
  close(runs: "end" | "leave"): Promise<void>;
}

export interface SupervisorLab {
  dir: string;
  paths: StatePaths;
  workdir: string;
  /** What `claude` on the runs' PATH does: a shell's script. */
  agent(script: string): void;
  definition(more?: Partial<HarnessDefinition>): HarnessDefinition;
  boot(more?: Partial<SupervisorDeps>): Daemon;
  /** Starts a run and waits for its end. */
  run(daemon: Daemon, more?: Partial<HarnessDefinition>): Promise<RunRecord>;
  stream(ref: RunRef): string;
  runLog(ref: RunRef): string;
}

/** What an agent that has done its work prints, at the least. */
export const GOOD_RUN = `
echo '{"type":"system","subtype":"init","session_id":"5e55","cwd":"/w","model":"m","tools":[],"mcp_servers":[]}'
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"duration_ms":5,"session_id":"5e55","result":"ok"}'
`;

export const supervisorLab = (t: TestContext): SupervisorLab => {
  const dir = mkdtempSync(join(tmpdir(), "hs-"));
  const paths = statePaths(join(dir, "state"));
  const workdir = join(dir, "work");
  const bin = join(dir, "bin");
  for (const folder of [paths.dir, workdir, bin]) mkdirSync(folder, { mode: 0o700 });
  const daemons = new Set<Daemon>();
  t.after(async () => {
    for (const daemon of daemons) {
      // What does not heed SIGTERM, in a test that failed half way, is not waited for.
      daemon.clock.rush();
      await daemon.close("end");
    }
    rmSync(dir, { recursive: true, force: true });
  });
  const lab: SupervisorLab = {
    dir,
    paths,
    workdir,
    agent(script) {
      writeFileSync(join(bin, "claude"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, "claude"), 0o755);
    },
    definition: (more = {}) => ({ ...plainDefinition(workdir), ...more }),
    boot(more = {}) {
      const daemon = bootSupervision(paths, { PATH: `${bin}:/usr/bin:/bin`, HOME: dir }, more, () =>
        daemons.delete(daemon),
      );
      daemons.add(daemon);
      return daemon;
    },
    async run(daemon, more) {
      return ended(daemon, await daemon.supervisor.start(lab.definition(more), { trigger: "manual" }));
    },
    stream: ({ harness, runId }) => readFileSync(paths.stream(harness, runId), "utf8"),
    runLog: ({ harness, runId }) => readFileSync(paths.runLog(harness, runId), "utf8"),
  };
  return lab;
};

/** The closed row of a run. */
export const ended = async (daemon: Daemon, started: StartedRun): Promise<RunRecord> => {
  await started.ended;
  const record = daemon.store.ledger.get(started.ref);
  if (record === undefined) throw new Error(`no row for ${started.ref.harness} ${started.ref.runId}`);
  return record;
};

/** A `claude-code` one-shot in a folder. */
const plainDefinition = (workdir: string): HarnessDefinition => ({
  name: "nightly",
  kind: "claude-code",
  prompt: { text: "do it" },
  args: [],
  argv: [],
  workdir,
  envFiles: [],
  autoAccept: false,
  maxTurns: 0,
  timeoutMs: 0,
  onOverlap: "skip",
  keepRuns: 20,
  recordTrace: true,
  enabled: false,
  restart: "no",
  restartDelayMs: 0,
  catchUp: false,
  maxWindows: 3,
  webhooks: [],
});

/** The same with a prompt on pipes, or without one on a terminal. */
export const definitionOn = (on: "pipes" | "terminal", workdir: string): HarnessDefinition => {
  const { prompt, ...resident } = plainDefinition(workdir);
  return on === "terminal" || prompt === undefined ? resident : { ...resident, prompt };
};

export interface BootOptions extends Partial<SupervisorDeps> {
  /** Stands between supervision and the store. */
  wrapStore?: (store: Store) => Store;
  /** How the files of runs are opened. */
  openFile?: OpenFileSink;
}

/** A daemon's supervision without its socket. */
export const bootSupervision = (
  paths: StatePaths,
  env: Record<string, string>,
  { wrapStore = (store) => store, openFile, ...more }: BootOptions = {},
  closed: () => void = () => undefined,
): Daemon => {
  const clock = patientClock();
  const store = wrapStore(openStore(paths.store));
  const opened = openFile === undefined ? {} : { openFile };
  const bus = createBus();
  const said: string[] = [];
  const log = streamLog({ clock, mask: (text) => text }, { write: (line: string) => said.push(line) > 0 });
  const supervisor = new Supervisor({
    clock,
    store,
    bus,
    log,
    env,
    umask: 0o022,
    stateDir: paths.dir,
    openIntake: (run) => {
      if (run.terminal !== undefined) {
        return openTerminalIntake(run, {
          store,
          clock,
          screen: new Screen({ ...run.terminal, answer: () => undefined }),
          files: { durableLog: paths.durableLog(run.harness) },
          ...opened,
          maxFileBytes: 64 * 1024 * 1024,
        });
      }
      return openIntake(run, {
        store,
        bus,
        clock,
        files: { stream: paths.stream(run.harness, run.runId), runLog: paths.runLog(run.harness, run.runId) },
        ...opened,
        maxFileBytes: 64 * 1024 * 1024,
      });
    },
    ...more,
  });
  return {
    supervisor,
    store,
    clock,
    said,
    async close(runs) {
      closed();
      await supervisor.close(runs);
      bus.close();
      store.close();
    },
  };
};
