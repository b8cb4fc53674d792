import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { StringDecoder } from "node:string_decoder";
import { pathToFileURL } from "node:url";
import type { ExecResult, ProcessCapability, ProcessHandle, SpawnOptions } from "../types.ts";

/** How long an aborted group may take to end before it is killed. */
const GRACE_MS = 2_000;

const startOptions = (options: SpawnOptions) => ({
  // A group of its own, so that an abort reaches the descendants too.
  detached: true,
  ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  env: { ...process.env, ...options.env },
});

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group is gone already.
  }
};

/** Ends the group when the signal aborts; returns how to stop waiting for that. */
const endOnAbort = (child: ChildProcess, signal: AbortSignal | undefined): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    signalGroup(child, "SIGTERM");
    timer = setTimeout(() => {
      signalGroup(child, "SIGKILL");
      // A descendant that left the group may hold the pipes for ever; what it writes is nobody's any more.
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, GRACE_MS);
  };
  if (signal?.aborted === true) end();
  else signal?.addEventListener("abort", end, { once: true });
  return () => {
    signal?.removeEventListener("abort", end);
    clearTimeout(timer);
  };
};

const spawnProcess = (
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): ProcessHandle => {
  const child = spawn(command, args, { ...startOptions(options), stdio: "ignore" });
  const stopWaiting = endOnAbort(child, options.signal);
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  }).finally(stopWaiting);
  return {
    ...(child.pid === undefined ? {} : { pid: child.pid }),
    exited,
    kill(signal = "SIGTERM") {
      // An unknown signal name throws in Node itself; the interface leaves names to the platform.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      child.kill(signal as NodeJS.Signals);
    },
  };
};

const execProcess: ProcessCapability["exec"] = (command, args, options = {}) => {
  const child = spawn(command, args, { ...startOptions(options), stdio: ["ignore", "pipe", "pipe"] });
  const stopWaiting = endOnAbort(child, options.signal);
  const collected = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    const decoder = new StringDecoder("utf8");
    const take = (text: string): void => {
      if (text === "") return;
      collected[name] += text;
      options.onOutput?.(text);
    };
    child[name].on("data", (chunk: Buffer) => take(decoder.write(chunk)));
    child[name].on("end", () => take(decoder.end()));
  }
  return new Promise<ExecResult>((resolve) => {
    child.once("error", (error) => {
      if (child.pid !== undefined) return; // It runs; a failed kill is not its end.
      resolve({ code: null, stdout: collected.stdout, stderr: collected.stderr + String(error) });
    });
    child.once("close", (code) => resolve({ code, ...collected }));
  }).finally(stopWaiting);
};

/** Processes of the machine. */
export const createNodeProcesses = (): ProcessCapability => ({
  kind: "node-child-process",
  spawn: spawnProcess,
  exec: execProcess,
  env: { ...process.env },
  cwd: process.cwd(),
  loadModule: (path): Promise<unknown> => import(pathToFileURL(path).href),
  randomBytes: (size) => randomBytes(size),
  onSignal(signal, handler) {
    process.on(signal, handler);
    return () => process.off(signal, handler);
  },
});
