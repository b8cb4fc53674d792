import type { Socket } from "node:net";
import { constants } from "node:os";
import {
  KEEPER_PROTOCOL,
  type FromKeeper,
  type KeeperChannel,
  type RefusalCode,
  type Replies,
  type RequestType,
  type ToKeeper,
} from "../protocol/keeper.ts";
import { FrameReader } from "../protocol/keeper-frames.ts";
import { decodeToKeeper } from "../protocol/keeper-messages.ts";
import type { Audience, Keeper } from "./keeper.ts";
import { Outbox } from "./outbox.ts";
import type { Run } from "./run.ts";

type Request = Extract<ToKeeper, { id: number }>;
type Ask<Type extends RequestType> = Extract<Request, { type: Type }>;

/** The two steps of ending the program. */
export interface Quit {
  stopListening(): void;
  exit(): void;
}

/** Ends one request with words for the daemon. */
class Refusal extends Error {
  readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** One connection. It counts for nothing until its hello is accepted. */
export class Session implements Audience {
  readonly #keeper: Keeper;
  readonly #socket: Socket;
  readonly #outbox: Outbox;
  readonly #frames = new FrameReader();
  readonly #quit: Quit;
  #admitted = false;

  constructor(keeper: Keeper, socket: Socket, quit: Quit) {
    this.#keeper = keeper;
    this.#socket = socket;
    this.#outbox = new Outbox(socket);
    this.#quit = quit;
    // A connection that breaks is a daemon that went away; `close` follows.
    socket.on("error", () => undefined);
    socket.on("close", () => keeper.leave(this));
    socket.on("data", (chunk) => this.#receive(chunk));
  }

  send(message: FromKeeper): void {
    this.#outbox.send(message);
  }

  moreToRead(run: Run, channel: KeeperChannel): void {
    this.#outbox.more(run, channel);
  }

  displace(epoch: number): void {
    this.#admitted = false;
    this.send({ type: "displaced", epoch });
    this.#socket.end();
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.push(chunk)) this.#handle(decodeToKeeper(frame));
    } catch (error) {
      // Nothing behind a malformed frame can be trusted to begin where it seems to.
      this.#refuse(0, error);
      this.#socket.end();
    }
  }

  #handle(message: ToKeeper): void {
    if (!("id" in message)) return this.#take(message);
    try {
      this.#answer(message);
    } catch (error) {
      this.#refuse(message.id, error);
    }
  }

  /** What is not answered; of a run that is not held it is late, and nothing. */
  #take(message: Exclude<ToKeeper, Request>): void {
    const run = this.#admitted ? this.#keeper.run(message.run) : undefined;
    if (message.type === "ack") run?.ack(message.channel, message.offset);
    else if (message.type === "write") run?.write(message.bytes);
    else run?.resize(message.size);
  }

  #reply<Type extends RequestType>({ id }: Ask<Type>, result: Replies[Type]): void {
    this.send({ type: "reply", id, result });
  }

  #refuse(id: number, error: unknown): void {
    const code = error instanceof Refusal ? error.code : "bad_request";
    this.send({ type: "refusal", id, code, message: error instanceof Error ? error.message : String(error) });
  }

  #answer(request: Request): void {
    if (request.type !== "hello" && !this.#admitted) {
      throw new Refusal("hello_first", "this connection has not been admitted");
    }
    switch (request.type) {
      case "hello":
        return this.#reply(request, this.#hello(request));
      case "list":
        return this.#reply(request, { runs: this.#keeper.list() });
      case "spawn":
        return this.#spawn(request);
      case "read":
        return this.#read(request);
      case "signal": {
        const delivered = this.#run(request.run).signal(signalOf(request.signal), request.group);
        return this.#reply(request, { delivered });
      }
      case "forget":
        return this.#forget(request);
      case "quit":
        return this.#quitIfIdle(request);
    }
  }

  #hello({ protocol, epoch }: Ask<"hello">): Replies["hello"] {
    if (protocol !== KEEPER_PROTOCOL) {
      throw new Refusal(
        "protocol_mismatch",
        `this keeper speaks protocol ${KEEPER_PROTOCOL}, not ${protocol}`,
      );
    }
    if (!this.#keeper.admit(epoch, this)) {
      throw new Refusal("epoch_too_low", `a daemon later than epoch ${epoch} has taken over`);
    }
    this.#admitted = true;
    return { pid: process.pid, protocol: KEEPER_PROTOCOL };
  }

  #spawn(request: Ask<"spawn">): void {
    this.#keeper.spawn(request.run, request.spec).then(
      (spawned) => this.#reply(request, spawned),
      (error: unknown) => this.#refuse(request.id, error),
    );
  }

  /** The state goes first, then the bytes. */
  #read(request: Ask<"read">): void {
    const { channel, from } = request;
    const run = this.#run(request.run);
    const state = run.channelState(channel);
    if (state === undefined) throw new Refusal("bad_request", `${request.run} has no ${channel}`);
    if (from < state.tail)
      throw new Refusal("let_go", `${channel} begins at byte ${state.tail}, not ${from}`);
    if (from > state.head)
      throw new Refusal("bad_request", `${channel} ends at byte ${state.head}, before ${from}`);
    this.#reply(request, state);
    this.#outbox.follow(run, channel, from);
  }

  #forget(request: Ask<"forget">): void {
    const run = this.#keeper.run(request.run);
    if (run !== undefined) this.#outbox.forget(run);
    if (!this.#keeper.forget(request.run)) throw new Refusal("unknown_run", `no run ${request.run} is held`);
    this.#reply(request, {});
  }

  /** The socket is out of its folder before the answer goes: whoever has it may start the next keeper there. */
  #quitIfIdle(request: Ask<"quit">): void {
    const quitting = this.#keeper.idle;
    if (quitting) this.#quit.stopListening();
    this.#reply(request, { quitting });
    if (quitting) this.#socket.end(() => this.#quit.exit());
  }

  #run(name: string): Run {
    const run = this.#keeper.run(name);
    if (run === undefined) throw new Refusal("unknown_run", `no run ${name} is held`);
    return run;
  }
}

const signalOf = (name: string): NodeJS.Signals => {
  if (!isSignal(name)) throw new Refusal("bad_request", `${name} is no signal`);
  return name;
};

const isSignal = (name: string): name is NodeJS.Signals => Object.hasOwn(constants.signals, name);
