import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { HarnessError } from "../base/errors.ts";
import {
  KEEPER_PROTOCOL,
  type ChannelState,
  type ChildExit,
  type FromKeeper,
  type HeldRun,
  type KeeperChannel,
  type RefusalCode,
  type Replies,
  type RequestType,
  type SpawnSpec,
  type TerminalSize,
  type ToKeeper,
} from "../protocol/keeper.ts";
import { FrameReader } from "../protocol/keeper-frames.ts";
import { decodeFromKeeper, encodeToKeeper } from "../protocol/keeper-messages.ts";
import { decodeReply } from "../protocol/keeper-replies.ts";

/** Hears what happens to one run. */
export interface RunFollower {
  data(channel: KeeperChannel, from: number, bytes: Uint8Array): void;
  eof(channel: KeeperChannel, length: number): void;
  exit(exit: ChildExit): void;
  groupGone(): void;
  /** Nothing more will be heard. */
  lost(loss: Loss): void;
}

/** `displaced`: another daemon has the runs now. `gone`: the keeper has ended, and nobody holds them. */
export type Loss = "displaced" | "gone";

/** The keeper said no. */
export class KeeperRefusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = "KeeperRefusal";
    this.code = code;
  }
}

type Request = Extract<ToKeeper, { id: number }>;
interface Pending {
  answer: (result: unknown) => void;
  fail: (error: Error) => void;
}

/** This daemon's line to one keeper. */
export class KeeperConnection {
  readonly #socket: Socket;
  readonly #frames = new FrameReader();
  readonly #pending = new Map<number, Pending>();
  readonly #followers = new Map<string, RunFollower>();
  #lastId = 0;
  #displaced = false;
  #pid = 0;
  /** Settles when the line is cut, by either side. */
  readonly closed: Promise<Loss>;

  /** Connects and is admitted. Rejects with the socket's error where nobody listens, or with {@link KeeperRefusal}. */
  static async open(path: string, epoch: number): Promise<KeeperConnection> {
    const socket = createConnection(path);
    await once(socket, "connect");
    const connection = new KeeperConnection(socket);
    try {
      const { pid } = await connection.#ask("hello", (id) => ({
        type: "hello",
        id,
        protocol: KEEPER_PROTOCOL,
        epoch,
      }));
      connection.#pid = pid;
      return connection;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#receive(chunk));
    // `close` follows, and says all there is to say.
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on("close", () => resolve(this.#lose()));
    });
  }

  /** The keeper's own. */
  get pid(): number {
    return this.#pid;
  }

  get open(): boolean {
    return !this.#socket.destroyed;
  }

  spawn(run: string, spec: SpawnSpec): Promise<Replies["spawn"]> {
    return this.#ask("spawn", (id) => ({ type: "spawn", id, run, spec }));
  }

  async list(): Promise<HeldRun[]> {
    return (await this.#ask("list", (id) => ({ type: "list", id }))).runs;
  }

  /** From now on the follower hears of the run. */
  follow(run: string, follower: RunFollower): void {
    this.#followers.set(run, follower);
  }

  read(run: string, channel: KeeperChannel, from: number): Promise<ChannelState> {
    return this.#ask("read", (id) => ({ type: "read", id, run, channel, from }));
  }

  ack(run: string, channel: KeeperChannel, offset: number): void {
    this.#send({ type: "ack", run, channel, offset });
  }

  /** Input for the run's terminal. */
  write(run: string, bytes: Uint8Array): void {
    this.#send({ type: "write", run, bytes });
  }

  resize(run: string, size: TerminalSize): void {
    this.#send({ type: "resize", run, size });
  }

  /** To the run's whole group; false when nobody is left in it. */
  async signalGroup(run: string, signal: NodeJS.Signals): Promise<boolean> {
    const reply = await this.#ask("signal", (id) => ({ type: "signal", id, run, signal, group: true }));
    return reply.delivered;
  }

  async forget(run: string): Promise<void> {
    this.#followers.delete(run);
    await this.#ask("forget", (id) => ({ type: "forget", id, run }));
  }

  /** Ends the keeper if it holds no run; false when it does. */
  async quit(): Promise<boolean> {
    return (await this.#ask("quit", (id) => ({ type: "quit", id }))).quitting;
  }

  /** Hangs up. Runs go on; their followers hear nothing more. */
  close(): void {
    this.#followers.clear();
    this.#socket.destroy();
  }

  #ask<Type extends RequestType>(type: Type, request: (id: number) => Request): Promise<Replies[Type]> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const answer = (result: unknown): void => {
        try {
          resolve(decodeReply(type, result));
        } catch (error) {
          reject(error);
        }
      };
      if (!this.open) return reject(lineCut());
      this.#pending.set(id, { answer, fail: reject });
      this.#send(request(id));
    });
  }

  #send(message: ToKeeper): void {
    if (this.open) this.#socket.write(encodeToKeeper(message));
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.push(chunk)) this.#hear(decodeFromKeeper(frame));
    } catch (error) {
      this.#socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #hear(message: FromKeeper): void {
    switch (message.type) {
      case "reply":
        return this.#settle(message.id, (pending) => pending.answer(message.result));
      case "refusal":
        return this.#settle(message.id, (pending) =>
          pending.fail(new KeeperRefusal(message.code, message.message)),
        );
      case "data":
        return this.#followers.get(message.run)?.data(message.channel, message.from, message.bytes);
      case "eof":
        return this.#followers.get(message.run)?.eof(message.channel, message.length);
      case "exit":
        return this.#followers.get(message.run)?.exit(message.exit);
      case "group_gone":
        return this.#followers.get(message.run)?.groupGone();
      case "displaced":
        this.#displaced = true;
    }
  }

  #settle(id: number, how: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined) how(pending);
  }

  #lose(): Loss {
    const loss = this.#displaced ? "displaced" : "gone";
    for (const pending of this.#pending.values()) pending.fail(lineCut());
    this.#pending.clear();
    for (const follower of this.#followers.values()) follower.lost(loss);
    this.#followers.clear();
    return loss;
  }
}

const lineCut = (): HarnessError =>
  new HarnessError("keeper_failed", "The connection to the keeper, which holds the runs, was cut.", {
    hint: "start the run again: a new keeper is started for it",
  });
