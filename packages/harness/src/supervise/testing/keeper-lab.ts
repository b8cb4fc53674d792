import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ChildExit, KeeperChannel, SpawnSpec } from "../../protocol/keeper.ts";
import { KeeperConnection, type Loss, type RunFollower } from "../keeper-connection.ts";
import { keeperGeneration, keeperSocket, startKeeper } from "../keeper-program.ts";

/** A keeper of the test's own, in a folder of its own; everything ends with the test. */
export interface KeeperLab {
  dir: string;
  socket: string;
  connection: KeeperConnection;
  /** A daemon more, or the same again. */
  connect: (epoch: number) => Promise<KeeperConnection>;
}

let lastEpoch = 1_000_000;

export const keeperLab = async (t: TestContext): Promise<KeeperLab> => {
  const dir = mkdtempSync(join(tmpdir(), "hk-"));
  const socket = keeperSocket(dir, keeperGeneration());
  await startKeeper(socket);
  t.after(async () => {
    // Whatever the test has left: a higher epoch may always come.
    lastEpoch += 1;
    const last = await KeeperConnection.open(socket, lastEpoch).catch(() => undefined);
    for (const { run } of (await last?.list()) ?? []) {
      await last?.signalGroup(run, "SIGKILL").catch(() => false);
      await last?.forget(run);
    }
    await last?.quit();
    last?.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const connection = await KeeperConnection.open(socket, 1);
  return { dir, socket, connection, connect: (epoch) => KeeperConnection.open(socket, epoch) };
};

/** A shell's script as a child's spec. */
export const shell = (script: string, more: Partial<SpawnSpec> = {}): SpawnSpec => ({
  file: "/bin/sh",
  args: ["-c", script],
  cwd: "/",
  env: { PATH: "/usr/bin:/bin" },
  umask: 0o022,
  ...more,
});

/** Collects what is heard of a run, and acknowledges what it is told to. */
export class Listener implements RunFollower {
  readonly bytes: Record<KeeperChannel, Buffer[]> = { stdout: [], stderr: [], pty: [] };
  readonly lengths: Partial<Record<KeeperChannel, number>> = {};
  readonly #connection: KeeperConnection;
  readonly #run: string;
  readonly #acknowledge: boolean;
  readonly #next: Record<KeeperChannel, number>;
  readonly #waiting = new Set<() => void>();
  exited: ChildExit | undefined;
  gone = false;
  loss: Loss | undefined;

  constructor(
    connection: KeeperConnection,
    run: string,
    options: { acknowledge?: boolean; from?: Partial<Record<KeeperChannel, number>> } = {},
  ) {
    this.#connection = connection;
    this.#run = run;
    this.#acknowledge = options.acknowledge ?? true;
    this.#next = { stdout: 0, stderr: 0, pty: 0, ...options.from };
    connection.follow(run, this);
  }

  /** Resolves when the condition holds; it is looked at after everything that is heard. */
  async until(condition: (listener: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** All of its channels have ended, and all of them is here. */
  async whole(): Promise<void> {
    await this.until(
      ({ lengths }) =>
        (lengths.stdout === this.#next.stdout && lengths.stderr === this.#next.stderr) ||
        lengths.pty === this.#next.pty,
    );
  }

  text(channel: KeeperChannel): string {
    return Buffer.concat(this.bytes[channel]).toString("utf8");
  }

  /** Offset behind the last byte heard. */
  next(channel: KeeperChannel): number {
    return this.#next[channel];
  }

  data(channel: KeeperChannel, from: number, bytes: Uint8Array): void {
    if (from !== this.#next[channel])
      throw new Error(`${channel}: byte ${from} after ${this.#next[channel]}`);
    this.bytes[channel].push(Buffer.from(bytes));
    this.#next[channel] = from + bytes.length;
    if (this.#acknowledge) this.#connection.ack(this.#run, channel, this.#next[channel]);
    this.#wake();
  }

  eof(channel: KeeperChannel, length: number): void {
    this.lengths[channel] = length;
    this.#wake();
  }

  exit(exit: ChildExit): void {
    this.exited = exit;
    this.#wake();
  }

  groupGone(): void {
    this.gone = true;
    this.#wake();
  }

  lost(loss: Loss): void {
    this.loss = loss;
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}

const PIPE_CHANNELS = ["stdout", "stderr"] as const;

/** Starts a child and listens to its channels from the start. */
export const run = async (
  connection: KeeperConnection,
  name: string,
  spec: SpawnSpec,
  options?: { acknowledge?: boolean },
): Promise<Listener & { pid: number }> => {
  const listener = new Listener(connection, name, options);
  const spawned = await connection.spawn(name, spec);
  if ("failure" in spawned) throw new Error(spawned.failure.message);
  const channels = spec.terminal === undefined ? PIPE_CHANNELS : (["pty"] as const);
  for (const channel of channels) await connection.read(name, channel, 0);
  return Object.assign(listener, { pid: spawned.child.pid });
};
