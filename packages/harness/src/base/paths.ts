import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where one daemon keeps everything: `HARNESS_STATE_DIR`, else `$XDG_STATE_HOME/harness`, else `~/.local/state/harness`. */
export const stateDir = (env: Environment): string =>
  env["HARNESS_STATE_DIR"] || join(env["XDG_STATE_HOME"] || join(homeDir(env), ".local", "state"), "harness");

/** The configuration file that is read when none is named. */
export const defaultConfigFile = (env: Environment): string =>
  join(env["XDG_CONFIG_HOME"] || join(homeDir(env), ".config"), "harness", "harness.toml");

export const homeDir = (env: Environment): string => env["HOME"] || homedir();

/** Files and folders under a state folder. All are 0600 in 0700. */
export interface StatePaths {
  dir: string;
  /** The daemon's socket. */
  socket: string;
  /** Held by the daemon for as long as it lives. */
  lock: string;
  store: string;
  /** The daemon's own log when detached. */
  daemonLog: string;
  /** `jobs/<name>`: run logs and stream files of one harness. */
  jobs(harness: string): string;
  /** `jobs/<name>/<id>.stream.jsonl` */
  stream(harness: string, runId: number): string;
  /** `logs/<name>.log`: what a harness's terminal showed, over all its runs. */
  durableLog(harness: string): string;
  /** `jobs/<name>/<id>.log`: stderr, and what could not be read as a record. */
  runLog(harness: string, runId: number): string;
  /** `jobs/<name>/<id>.event.json`: the event that started the run. */
  event(harness: string, runId: number): string;
}

export const statePaths = (dir: string): StatePaths => {
  const jobs = (harness: string): string => join(dir, "jobs", harness);
  return {
    dir,
    socket: join(dir, "harness.sock"),
    lock: join(dir, "daemon.lock"),
    store: join(dir, "harness.db"),
    daemonLog: join(dir, "daemon.log"),
    jobs,
    stream: (harness, runId) => join(jobs(harness), `${runId}.stream.jsonl`),
    durableLog: (harness) => join(dir, "logs", `${harness}.log`),
    runLog: (harness, runId) => join(jobs(harness), `${runId}.log`),
    event: (harness, runId) => join(jobs(harness), `${runId}.event.json`),
  };
};
