import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";

import { sweepAfter } from "./sweep.ts";

export const repository = resolve(import.meta.dirname, "..", "..");

/** The programs as a user starts them. */
export const programs = {
  harness: join(repository, "packages", "harness", "bin", "harness"),
  "agent-trace": join(repository, "packages", "agent-trace", "bin", "agent-trace"),
  orphus: join(repository, "packages", "coding-agent", "bin", "orphus"),
  cairn: join(repository, "packages", "cairn", "bin", "cairn"),
} as const;

export type ProgramName = keyof typeof programs;

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** One operator's machine: a home, a state folder, a folder of agents on PATH, and nothing of the real environment. */
export interface Sandbox {
  dir: string;
  home: string;
  state: string;
  env: Record<string, string>;
  /** Puts an executable in front of PATH, in the place of one of that name: a link to a file, or the text of a shell script. */
  agent(name: string, program: { link: string } | { script: string }): void;
  /** Makes a folder and the files in it. */
  workdir(name: string, files?: Record<string, string>): string;
  /** Writes `harness.toml` and returns its path. */
  config(text: string): string;
  /** Writes a file of secrets, 0600, and returns its path. */
  secret(name: string, text: string): string;
  run(
    program: ProgramName,
    args: readonly string[],
    options?: { input?: string | Uint8Array },
  ): Promise<Finished>;
  harness(...args: string[]): Promise<Finished>;
  /** Starts the daemon in the background; it is stopped when the test ends. */
  startDaemon(): Promise<void>;
}

export const createSandbox = (t: Pick<TestContext, "after">): Sandbox => {
  // A short path: a unix socket's name is limited to about 100 bytes.
  const dir = mkdtempSync(join(tmpdir(), "hs-"));
  const home = join(dir, "home");
  const state = join(dir, "state");
  const bin = join(dir, "bin");
  const configFile = join(dir, "harness.toml");
  for (const folder of [home, bin]) mkdirSync(folder);
  const env = {
    HOME: home,
    PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
    LANG: "C.UTF-8",
    TZ: "UTC",
    HARNESS_STATE_DIR: state,
    HARNESS_CONFIG: configFile,
    // Programs start from their sources here, dozens of times; stripping their types anew each time is half the wait.
    NODE_COMPILE_CACHE: join(tmpdir(), `harness-tests-compiled-${process.getuid?.() ?? 0}`),
  };

  const run: Sandbox["run"] = async (program, args, options = {}) => {
    const child = spawn(programs[program], args, { env, cwd: dir });
    child.stdin.end(options.input ?? "");
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
  };

  const sandbox: Sandbox = {
    dir,
    home,
    state,
    env,
    agent: (name, program) => {
      const path = join(bin, name);
      rmSync(path, { force: true });
      if ("link" in program) {
        symlinkSync(program.link, path);
      } else {
        writeFileSync(path, program.script);
        chmodSync(path, 0o755);
      }
    },
    workdir: (name, files = {}) => {
      const folder = join(dir, name);
      mkdirSync(folder, { recursive: true });
      for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
      return folder;
    },
    config: (content) => {
      writeFileSync(configFile, content, { mode: 0o600 });
      return configFile;
    },
    secret: (name, content) => {
      const path = join(dir, name);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    },
    run,
    harness: (...args) => run("harness", args),
    startDaemon: async () => {
      const started = await run("harness", ["daemon", "--detach"]);
      if (started.code !== 0) throw new Error(`the daemon did not start: ${started.stderr}`);
    },
  };

  const sweep = sweepAfter(state);
  t.after(async () => {
    await run("harness", ["daemon", "stop"]);
    await sweep.end();
    rmSync(dir, { recursive: true, force: true });
  });
  return sandbox;
};
