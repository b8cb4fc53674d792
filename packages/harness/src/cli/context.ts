import { resolve } from "node:path";
import type { RescanReport } from "../protocol/methods.ts";
import { defaultConfigFile, homeDir, stateDir, statePaths, type StatePaths } from "../base/paths.ts";

/** Where text goes. */
export interface Output {
  write(text: string): void;
  readonly isTty: boolean;
  /** Whether colour may be used. */
  readonly color: boolean;
  /** Cells of a line; infinite where nobody looks at lines. */
  readonly columns: number;
}

/** What a verb works with: everything that the process, its environment and the global options give it. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly out: Output;
  readonly err: Output;
  /** Print the protocol's shapes as JSON. */
  readonly json: boolean;
  readonly paths: StatePaths;
  readonly config: ConfigFile;
  /** Milliseconds since the epoch. */
  now(): number;
  startDaemon: (options: DaemonOptions) => Promise<number>;
  /** Masks the record anew, or only looks, in a state folder without a daemon. */
  rescan: (
    options: Pick<DaemonOptions, "config" | "stateDir" | "home" | "cwd">,
    check: boolean,
  ) => Promise<RescanReport>;
}

interface ConfigFile {
  /** As the operator wrote it. */
  file: string;
  /** Named by an option or a variable, and so expected to be there. */
  explicit: boolean;
  /** Named by `--config` for this command line. */
  byOption?: true;
}

/** What the daemon is started with. */
export interface DaemonOptions {
  config: ConfigFile;
  stateDir: string;
  home: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Descriptor on which a detached daemon says once how its start went; it then logs to its file. */
  readyFd?: number;
}

export interface GlobalOptions {
  config?: string;
  stateDir?: string;
  json?: boolean;
}

/** Flags win over variables, variables over defaults; an empty variable counts as unset. */
export const createContext = (
  options: GlobalOptions,
  surroundings: Pick<Context, "env" | "cwd" | "out" | "err" | "now" | "startDaemon" | "rescan">,
): Context => {
  const { env, cwd } = surroundings;
  const named = options.config ?? (env["HARNESS_CONFIG"] || undefined);
  return {
    ...surroundings,
    home: homeDir(env),
    json: options.json ?? isYes(env["HARNESS_JSON"]),
    paths: statePaths(resolve(cwd, options.stateDir ?? stateDir(env))),
    config: {
      file: named ?? defaultConfigFile(env),
      explicit: named !== undefined,
      ...(options.config !== undefined && { byOption: true }),
    },
  };
};

const isYes = (value: string | undefined): boolean =>
  value !== undefined && ["1", "true", "yes", "on"].includes(value.toLowerCase());
