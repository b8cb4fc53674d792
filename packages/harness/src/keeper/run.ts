import {
  KEEPER_CHANNELS,
  type ChannelState,
  type ChildExit,
  type ChildIdentity,
  type HeldRun,
  type KeeperChannel,
} from "../protocol/keeper.ts";
import { HeldBytes } from "./held-bytes.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { PipeReader } from "./pipe-reader.ts";
import { groupExists } from "./proc.ts";

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
  readonly #channels: Record<KeeperChannel, Channel>;
  readonly #events: RunEvents;
  exit: ChildExit | undefined;
  groupGone = false;

  constructor(
    name: string,
    child: ChildIdentity,
    readEnds: Record<KeeperChannel, number>,
    budget: MemoryBudget,
    events: RunEvents,
  ) {
    this.name = name;
    this.child = child;
    this.#events = events;
    this.#channels = {
      stdout: this.#open("stdout", readEnds.stdout, budget),
      stderr: this.#open("stderr", readEnds.stderr, budget),
    };
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

  held(channel: KeeperChannel): HeldBytes {
    return this.#channels[channel].held;
  }

  ack(channel: KeeperChannel, offset: number): void {
    const { held, reader } = this.#channels[channel];
    held.ack(offset);
    reader.proceed();
  }

  channelState(channel: KeeperChannel): ChannelState {
    const { held, eof } = this.#channels[channel];
    return { acked: held.acked, head: held.head, eof };
  }

  state(): HeldRun {
    return {
      run: this.name,
      child: this.child,
      channels: { stdout: this.channelState("stdout"), stderr: this.channelState("stderr") },
      ...(this.exit === undefined ? {} : { exit: this.exit }),
      groupGone: this.groupGone,
    };
  }

  /** Closes the pipes and gives the memory back. */
  drop(): void {
    for (const name of KEEPER_CHANNELS) {
      this.#channels[name].reader.close();
      this.#channels[name].held.drop();
    }
  }

  #open(name: KeeperChannel, readEnd: number, budget: MemoryBudget): Channel {
    const held = new HeldBytes(budget);
    const reader = new PipeReader(readEnd, held, budget, {
      read: () => this.#events.read(name),
      end: () => {
        channel.eof = true;
        this.#events.eof(name, held.head);
      },
    });
    const channel: Channel = { held, reader, eof: false };
    return channel;
  }
}
