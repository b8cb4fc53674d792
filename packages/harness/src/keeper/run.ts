import {
  TERMINAL_TAIL,
  type ChannelState,
  type ChildExit,
  type ChildIdentity,
  type HeldRun,
  type KeeperChannel,
  type TerminalSize,
} from "../protocol/keeper.ts";
import { HeldBytes } from "./held-bytes.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { PipeReader, pipeSocket, type OpenSocket } from "./pipe-reader.ts";
import { groupExists } from "./proc.ts";
import type { SpawnedChild } from "./spawn-child.ts";
import { TerminalEnd } from "./terminal-end.ts";

/** What happens to a run, for whoever listens; everything is kept as well. */
export interface RunEvents {
  read(channel: KeeperChannel): void;
  eof(channel: KeeperChannel, length: number): void;
  exit(exit: ChildExit): void;
  groupGone(): void;
}

interface Channel {
  held: HeldBytes;
  reader: PipeReader;
  eof: boolean;
}

/** One child and what it wrote, until it is forgotten. */
export class Run {
  readonly name: string;
  readonly child: ChildIdentity;
  readonly #channels = new Map<KeeperChannel, Channel>();
  readonly #terminal: TerminalEnd | undefined;
  readonly #events: RunEvents;
  exit: ChildExit | undefined;
  groupGone = false;

  constructor(name: string, spawned: SpawnedChild, budget: MemoryBudget, events: RunEvents) {
    this.name = name;
    this.child = spawned.child;
    this.#events = events;
    if (spawned.on === "terminal") {
      this.#terminal = new TerminalEnd(spawned.master, spawned.size);
      this.#open("pty", this.#terminal.open, new HeldBytes(budget, TERMINAL_TAIL), budget);
    } else {
      this.#open("stdout", pipeSocket(spawned.stdout), new HeldBytes(budget), budget);
      this.#open("stderr", pipeSocket(spawned.stderr), new HeldBytes(budget), budget);
    }
  }

  /** The leader has ended. What is left of its group gets the hangup that a closing terminal would have sent. */
  ended(exit: ChildExit): void {
    this.exit = exit;
    this.#events.exit(exit);
    this.signal("SIGHUP", true);
    this.checkGroup();
  }

  /** Looks whether the group has emptied, once the leader is gone. */
  checkGroup(): void {
    if (this.exit === undefined || this.groupGone || groupExists(this.child.pid)) return;
    this.groupGone = true;
    this.#events.groupGone();
  }

  /** False when nobody was there. A group that has emptied is never signalled again: its number may belong to others. */
  signal(signal: NodeJS.Signals, group: boolean): boolean {
    if (this.groupGone || (!group && this.exit !== undefined)) return false;
    try {
      process.kill(group ? -this.child.pid : this.child.pid, signal);
      return true;
    } catch {
      return false;
    }
  }

  /** Input for its terminal; a run on pipes takes none. */
  write(bytes: Uint8Array): void {
    this.#terminal?.write(bytes);
  }

  resize(size: TerminalSize): void {
    this.#terminal?.resize(size);
  }

  held(channel: KeeperChannel): HeldBytes | undefined {
    return this.#channels.get(channel)?.held;
  }

  ack(channel: KeeperChannel, offset: number): void {
    this.#channels.get(channel)?.held.ack(offset);
    this.#channels.get(channel)?.reader.proceed();
  }

  channelState(channel: KeeperChannel): ChannelState | undefined {
    const found = this.#channels.get(channel);
    if (found === undefined) return undefined;
    const { held, eof } = found;
    return { tail: held.tail, acked: held.acked, head: held.head, eof };
  }

  state(): HeldRun {
    const channels: Partial<Record<KeeperChannel, ChannelState>> = {};
    for (const [name, { held, eof }] of this.#channels) {
      channels[name] = { tail: held.tail, acked: held.acked, head: held.head, eof };
    }
    return {
      run: this.name,
      child: this.child,
      channels,
      ...(this.#terminal === undefined ? {} : { terminal: this.#terminal.size }),
      ...(this.exit === undefined ? {} : { exit: this.exit }),
      groupGone: this.groupGone,
    };
  }

  /** Closes the pipes or the terminal and gives the memory back. */
  drop(): void {
    for (const { reader, held } of this.#channels.values()) {
      reader.close();
      held.drop();
    }
  }

  #open(name: KeeperChannel, open: OpenSocket, held: HeldBytes, budget: MemoryBudget): void {
    const reader = new PipeReader(open, held, budget, {
      read: () => this.#events.read(name),
      end: () => {
        channel.eof = true;
        this.#events.eof(name, held.head);
      },
    });
    const channel: Channel = { held, reader, eof: false };
    this.#channels.set(name, channel);
  }
}
