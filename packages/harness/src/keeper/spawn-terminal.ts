import { spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import type { SpawnFailure, SpawnSpec } from "../protocol/keeper.ts";
import { openTerminal, type Terminal } from "./libc.ts";
import { identify, isFolder, withUmask, type ExitListener, type SpawnedChild } from "./spawn-child.ts";
import { failureOf, noFolder, programPath } from "./spawn-failure.ts";

/**
 * The terminal becomes the session's own when its leader opens it by name, so a shell does that and then turns into the
 * program: the same process, which leads its session and group from the start.
 */
const TAKE_TERMINAL = ': <> "$0"; exec "$@"';

/** The size of a terminal nobody looks at. */
export const DEFAULT_SIZE = { cols: 80, rows: 24 } as const;

/**
 * Starts a child as leader of a session of its own, whose terminal is its input and output. What can be known to fail is
 * looked at first: behind the shell it would be words on the terminal.
 */
export const spawnOnTerminal = async (
  spec: SpawnSpec,
  onExit: ExitListener,
): Promise<SpawnedChild | { failure: SpawnFailure }> => {
  if (!isFolder(spec.cwd)) return { failure: noFolder(spec.cwd) };
  const size = spec.terminal ?? DEFAULT_SIZE;
  let terminal: Terminal | undefined;
  let slave: number | undefined;
  try {
    const file = programPath(spec);
    terminal = openTerminal(size);
    // Close-on-exec like everything that Node opens.
    const end = openSync(terminal.name, constants.O_RDWR | constants.O_NOCTTY);
    slave = end;
    const args = ["-c", TAKE_TERMINAL, terminal.name, file, ...spec.args];
    const started = withUmask(spec.umask, () =>
      spawn("/bin/sh", args, { cwd: spec.cwd, env: spec.env, detached: true, stdio: [end, end, end] }),
    );
    started.on("exit", onExit);
    const child = await identify(started);
    return { child, on: "terminal", master: terminal.master, size };
  } catch (error) {
    if (terminal !== undefined) closeSync(terminal.master);
    return { failure: failureOf(error, spec) };
  } finally {
    // Ours must go at once: a terminal ends when the last process on it has closed it.
    if (slave !== undefined) closeSync(slave);
  }
};
