import { resolve } from "node:path";
import { createRedactor } from "@orphus/agent-trace/redact";
import { systemClock } from "../base/clock.ts";
import { ruleSetOf, type Mask } from "../base/mask.ts";
import { fileLog, streamLog, type Log } from "../base/log.ts";
import { statePaths, type StatePaths } from "../base/paths.ts";
import type { Config } from "../config/definition.ts";
import { loadConfig } from "../config/load.ts";
import { compose } from "./compose.ts";
import { createConnections } from "./connections.ts";
import { prepareStateFolder } from "./folder.ts";
import { takeLock } from "./lock.ts";
import { LiveConfig } from "./live-config.ts";
import { readyOn } from "./ready.ts";
import { serve } from "./serve.ts";
import { listenForStop, logCrashes, type StopRequest } from "./signals.ts";
import { watchConfig } from "./watch-config.ts";
import { bindSocket } from "./socket.ts";

export interface DaemonOptions {
  /** `explicit`: named by the operator, and so expected to be there. */
  config: { file: string; explicit: boolean };
  /** Absolute. */
  stateDir: string;
  home: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Descriptor on which a detached daemon says once how its start went; it then logs to its file. */
  readyFd?: number;
}

/** Size and number of the files of a detached daemon's log. */
const LOG_BYTES = 8 * 1024 * 1024;
const LOG_BACKUPS = 3;

/**
 * Runs a daemon until it is told to stop; resolves to the exit code. Fails when it cannot start: bad configuration,
 * another daemon, a state folder it cannot use.
 */
export const runDaemon = async (options: DaemonOptions): Promise<number> => {
  if (options.readyFd === undefined) {
    await live(options, () => undefined);
    return 0;
  }
  const ready = readyOn(options.readyFd);
  try {
    await live(options, () => ready.up());
    return 0;
  } catch (error) {
    ready.failed(error);
    return 1;
  }
};

const live = async (options: DaemonOptions, up: () => void): Promise<void> => {
  const { home, cwd, env } = options;
  // Whatever is made from here on is the operator's alone.
  const umask = process.umask(0o077);
  const load = (): Promise<Config> => loadConfig({ ...options.config, home, cwd });
  const first = await load();
  const paths = statePaths(options.stateDir);
  prepareStateFolder(paths.dir);
  // Undone in reverse: the connections close last, which tells a waiting `daemon stop` that everything is done.
  await using stack = new AsyncDisposableStack();
  const connections = createConnections();
  stack.defer(() => connections.close());
  const lock = takeLock(paths.lock);
  stack.defer(() => lock.release());
  const redactor = createRedactor({ rules: first.redactRules });
  const mask: Mask = (text) => redactor.redact(text);
  const log = openLog(options, paths, mask);
  stack.defer(() => log.close());
  logCrashes(log);
  const config = new LiveConfig(first, load, log);
  const reload = (why: string): void => {
    // What is wrong with the file is in the log by then.
    config.reload(why).catch(() => undefined);
  };
  const signal = stack.use(listenForStop(() => reload("SIGHUP")));
  const stop = (request: StopRequest): void => signal.stop(request);
  const daemon = await compose({
    config,
    paths,
    clock: systemClock,
    log,
    mask,
    ruleSet: ruleSetOf(redactor),
    home,
    env,
    umask,
    maskJson: (line) => redactor.jsonLine(line),
    stop,
  });
  let runs: StopRequest["runs"] = "leave";
  stack.defer(() => daemon.close(runs));
  const socket = await bindSocket(paths.socket, (connection) => {
    connections.add(connection);
    serve(connection, { handlers: daemon.handlers, log, mask });
  });
  stack.defer(() => socket.release());
  stack.use(
    watchConfig({
      file: resolve(cwd, options.config.file),
      clock: systemClock,
      log,
      changed: () => {
        if (config.now.daemon.watchConfig) reload("the file has changed");
      },
    }),
  );
  log.info(
    `up: pid ${process.pid}, ${first.harnesses.size} harnesses from ${first.file ?? "no configuration"}`,
  );
  up();
  const request = await signal.stopped;
  runs = request.runs;
  log.info(`stopping: ${request.why}; runs ${runs === "end" ? "end with it" : "go on"}`);
};

const openLog = (options: DaemonOptions, paths: StatePaths, mask: Mask): Log => {
  const common = { clock: systemClock, mask };
  if (options.readyFd === undefined) return streamLog(common, process.stderr);
  return fileLog({ ...common, path: paths.daemonLog, maxBytes: LOG_BYTES, backups: LOG_BACKUPS });
};
