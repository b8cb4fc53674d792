import { createHash } from "node:crypto";
import type { ExecResult, ProcessCapability, SpawnOptions } from "../types.ts";

/** What a fake process does. Without `exit` a spawned one lives until it is killed. */
export interface FakeScript {
  exit?: { code: number | null; signal: string | null };
  result?: Partial<ExecResult>;
}

export interface FakeProcesses extends ProcessCapability {
  /** Everything that was started, by `spawn` and by `exec`. */
  readonly spawned: { command: string; args: readonly string[]; options: SpawnOptions }[];
  /** Spawned processes that have not ended. */
  readonly alive: number;
  /** Says what a command does from now on. */
  script(command: string, script: FakeScript): void;
  /** Delivers a signal to this process. */
  deliver(signal: "SIGINT" | "SIGTERM"): void;
}

export interface FakeProcessOptions {
  env?: Readonly<Record<string, string | undefined>>;
  cwd?: string;
  /** What loading a path gives. */
  modules?: Readonly<Record<string, unknown>>;
}

/** Processes that never run, and an environment that is empty unless given. Random bytes are the same in every run. */
export const createFakeProcesses = (options: FakeProcessOptions = {}): FakeProcesses => {
  const scripts = new Map<string, FakeScript>();
  const spawned: FakeProcesses["spawned"] = [];
  const handlers = new Map<string, Set<() => void>>();
  let alive = 0;
  let drawn = 0;
  return {
    kind: "fake",
    spawned,
    get alive() {
      return alive;
    },
    script: (command, script) => void scripts.set(command, script),
    deliver: (signal) => handlers.get(signal)?.forEach((handler) => handler()),
    spawn(command, args, spawnOptions = {}) {
      spawned.push({ command, args, options: spawnOptions });
      alive += 1;
      const { promise, resolve } = Promise.withResolvers<{ code: number | null; signal: string | null }>();
      let ended = false;
      const end = (exit: { code: number | null; signal: string | null }): void => {
        if (ended) return;
        ended = true;
        alive -= 1;
        resolve(exit);
      };
      const exit = scripts.get(command)?.exit;
      if (exit !== undefined) end(exit);
      spawnOptions.signal?.addEventListener("abort", () => end({ code: null, signal: "SIGTERM" }));
      return {
        pid: 1000 + spawned.length,
        exited: promise,
        kill: (signal = "SIGTERM") => end({ code: null, signal }),
      };
    },
    async exec(command, args, execOptions = {}) {
      spawned.push({ command, args, options: execOptions });
      const result = { code: 0, stdout: "", stderr: "", ...scripts.get(command)?.result };
      const output = result.stdout + result.stderr;
      if (output !== "") execOptions.onOutput?.(output);
      return result;
    },
    env: options.env ?? {},
    cwd: options.cwd ?? "/home/dev/project",
    async loadModule(path) {
      if (options.modules === undefined || !Object.hasOwn(options.modules, path))
        throw new Error(`Cannot find module '${path}'`);
      return options.modules[path];
    },
    randomBytes(size) {
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; at += 32) {
        drawn += 1;
        bytes.set(
          createHash("sha256")
            .update(`fake ${drawn}`)
            .digest()
            .subarray(0, size - at),
          at,
        );
      }
      return bytes;
    },
    onSignal(signal, handler) {
      const set = handlers.get(signal) ?? new Set();
      handlers.set(signal, set.add(handler));
      return () => void set.delete(handler);
    },
  };
};
