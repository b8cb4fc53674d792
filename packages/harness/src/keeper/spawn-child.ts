import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, statSync } from "node:fs";
import type { ChildIdentity, SpawnFailure, SpawnSpec, TerminalSize } from "../protocol/keeper.ts";
import { createPipe, type PipeEnds } from "./libc.ts";
import { startTimeOf } from "./proc.ts";
import { failureOf, noFolder } from "./spawn-failure.ts";

/** A child, and the descriptors that are ours to read and to close. */
export type SpawnedChild = { child: ChildIdentity } & (
  | { on: "pipes"; stdout: number; stderr: number }
  | { on: "terminal"; master: number; size: TerminalSize }
);

export type ExitListener = (code: number | null, signal: string | null) => void;

/**
 * Starts a child as leader of a session of its own, without a terminal: stdin is `/dev/null`, stdout and stderr are real
 * pipes, and no other descriptor is open in it.
 */
export const spawnChild = async (
  spec: SpawnSpec,
  onExit: ExitListener,
): Promise<SpawnedChild | { failure: SpawnFailure }> => {
  if (!isFolder(spec.cwd)) return { failure: noFolder(spec.cwd) };
  const pipes: PipeEnds[] = [];
  try {
    const stdout = openPipe(pipes);
    const stderr = openPipe(pipes);
    const started = withUmask(spec.umask, () =>
      spawn(spec.file, spec.args, {
        cwd: spec.cwd,
        env: spec.env,
        detached: true,
        stdio: ["ignore", stdout.writeEnd, stderr.writeEnd],
      }),
    );
    started.on("exit", onExit);
    const child = await identify(started);
    // Ours must go at once: a pipe ends when the last writer has closed it.
    for (const { writeEnd } of pipes) closeSync(writeEnd);
    return { child, on: "pipes", stdout: stdout.readEnd, stderr: stderr.readEnd };
  } catch (error) {
    for (const { readEnd, writeEnd } of pipes) {
      closeSync(readEnd);
      closeSync(writeEnd);
    }
    return { failure: failureOf(error, spec) };
  }
};

/** Read before the event loop turns, so before the child can be reaped. */
export const identify = async (started: ChildProcess): Promise<ChildIdentity> => {
  const { pid } = started;
  // Without a pid the reason is on its way as an `error` event, which `once` throws.
  if (pid === undefined) await once(started, "spawn");
  else started.on("error", () => undefined);
  if (pid === undefined) throw new Error("no process was started");
  const startTime = startTimeOf(pid);
  return startTime === undefined ? { pid } : { pid, startTime };
};

export const withUmask = <Result>(mask: number, act: () => Result): Result => {
  const own = process.umask(mask);
  try {
    return act();
  } finally {
    process.umask(own);
  }
};

const openPipe = (opened: PipeEnds[]): PipeEnds => {
  const pipe = createPipe();
  opened.push(pipe);
  return pipe;
};

export const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
