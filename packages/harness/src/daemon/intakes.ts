import { createRedactor } from "@orphus/agent-trace/redact";
import type { Terminals } from "../attach/terminals.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { StatePaths } from "../base/paths.ts";
import { isOneShot } from "../config/definition.ts";
import type { Bus } from "../record/bus.ts";
import type { IntakeFault, RunIdentity, RunIntake } from "../record/intake.ts";
import { openIntake } from "../record/open-intake.ts";
import { openTerminalIntake, terminalPosition } from "../record/terminal/open-terminal-intake.ts";
import type { LiveConfig } from "./live-config.ts";
import type { Store } from "../store/store.ts";
import type { Supervisor } from "../supervise/supervisor.ts";

export interface IntakeSurroundings {
  store: Store;
  bus: Bus;
  clock: Clock;
  log: Log;
  home: string;
  paths: StatePaths;
  config: LiveConfig;
  terminals: Terminals;
  /** It is there once the first run is. */
  supervisor(): Supervisor;
}

/** The intake of a run: of a stream on pipes, or of a terminal, whose screen those who attach see as well. */
export const openRunIntake = (run: RunIdentity, surroundings: IntakeSurroundings): RunIntake => {
  const { store, bus, clock, log, home, paths, config } = surroundings;
  const common = {
    store,
    bus,
    clock,
    home,
    maxFileBytes: config.now.trace.maxStreamBytes,
    rules: config.now.redactRules,
    onFault: ({ message }: IntakeFault): void => log.warn(`${run.harness} run ${run.runId}: ${message}`),
  };
  const runLog = paths.runLog(run.harness, run.runId);
  if (run.terminal === undefined) {
    return openIntake(run, { ...common, files: { stream: paths.stream(run.harness, run.runId), runLog } });
  }
  const { harness } = run;
  const redactor = createRedactor({ values: run.secrets, rules: config.now.redactRules });
  const { screen } = surroundings.terminals.open(run, {
    size: run.terminal,
    known: terminalPosition(store, run),
    mask: (text) => redactor.redact(text),
    port: {
      input: (bytes) => surroundings.supervisor().input(harness, bytes),
      resize: (size) => surroundings.supervisor().resize(harness, size),
    },
  });
  const definition = config.now.harnesses.get(harness);
  const ofItsOwn = definition !== undefined && isOneShot(definition) ? { runLog } : {};
  return openTerminalIntake(run, {
    ...common,
    screen,
    files: { durableLog: paths.durableLog(harness), ...ofItsOwn },
  });
};
