import { createFakeClock } from "../capabilities/fake/clock.ts";
import { createFakeProcesses } from "../capabilities/fake/process.ts";
import { createFakeTerminalTransport } from "../capabilities/fake/terminal.ts";
import type { FileSystemCapability, HarnessCapabilities } from "../capabilities/types.ts";
import { ENV_PROVIDER_AUDIT } from "../record/types.ts";

const refuse = (): Promise<never> =>
  Promise.reject(Object.assign(new Error("a replay from the record writes nothing"), { code: "EROFS" }));

/** Files that can be read and not changed. */
const readOnly = (fs: FileSystemCapability): FileSystemCapability => ({
  ...fs,
  kind: "read-only",
  writeFile: refuse,
  appendFile: refuse,
  mkdir: refuse,
  rename: refuse,
  remove: refuse,
});

/** Variables that say where the user's own files lie; no key is among them. */
const KEPT = ["HOME", "ORPHUS_CODING_AGENT_DIR"];

/**
 * The world of a replayed session: it reads files, for the instructions and extensions the session was composed of. With
 * `live` tools it writes them and runs commands as well; else time stands still and nothing is run.
 */
export const replayWorld = (real: HarnessCapabilities, cwd: string, live: boolean): HarnessCapabilities => {
  const env: Record<string, string | undefined> = { [ENV_PROVIDER_AUDIT]: "0" };
  for (const name of KEPT) env[name] = real.process.env[name];
  const base = live ? real.process : createFakeProcesses();
  return {
    ...real,
    clock: live ? real.clock : createFakeClock(),
    fs: live ? real.fs : readOnly(real.fs),
    terminal: createFakeTerminalTransport(),
    process: { ...base, env, cwd, loadModule: real.process.loadModule },
  };
};
