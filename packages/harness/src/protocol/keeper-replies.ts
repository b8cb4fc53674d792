import { Body } from "./keeper-body.ts";
import {
  KEEPER_CHANNELS,
  SPAWN_FAILURE_REASONS,
  type ChannelState,
  type ChildIdentity,
  type HeldRun,
  type Replies,
  type RequestType,
  type SpawnFailure,
} from "./keeper.ts";
import { exitOf, terminalSize } from "./keeper-messages.ts";

/** Reads the answer to a request of one type. Throws `KeeperProtocolError` for any other shape. */
export const decodeReply = <Type extends RequestType>(type: Type, result: unknown): Replies[Type] =>
  DECODERS[type](new Body(result));

const DECODERS: { [Type in RequestType]: (body: Body) => Replies[Type] } = {
  hello: (body) => ({ pid: body.count("pid"), protocol: body.count("protocol") }),
  list: (body) => ({ runs: body.list("runs").map((run) => heldRun(new Body(run))) }),
  spawn: (body) =>
    body.has("failure")
      ? { failure: failure(body.object("failure")) }
      : { child: child(body.object("child")) },
  read: (body) => channelState(body),
  signal: (body) => ({ delivered: body.flag("delivered") }),
  forget: () => ({}),
  quit: (body) => ({ quitting: body.flag("quitting") }),
};

const heldRun = (body: Body): HeldRun => {
  const run = body.text("run");
  if (body.has("failure")) return { run, failure: failure(body.object("failure")) };
  const channels = body.object("channels");
  return {
    run,
    child: child(body.object("child")),
    channels: Object.fromEntries(
      KEEPER_CHANNELS.filter((name) => channels.has(name)).map((name) => [
        name,
        channelState(channels.object(name)),
      ]),
    ),
    ...(body.has("terminal") ? { terminal: terminalSize(body.object("terminal")) } : {}),
    ...(body.has("exit") ? { exit: exitOf(body.object("exit")) } : {}),
    groupGone: body.flag("groupGone"),
  };
};

const child = (body: Body): ChildIdentity => ({
  pid: body.count("pid"),
  ...(body.has("startTime") ? { startTime: body.count("startTime") } : {}),
});

const failure = (body: Body): SpawnFailure => ({
  reason: body.oneOf("reason", SPAWN_FAILURE_REASONS),
  code: body.text("code"),
  message: body.text("message"),
});

const channelState = (body: Body): ChannelState => ({
  tail: body.count("tail"),
  acked: body.count("acked"),
  head: body.count("head"),
  eof: body.flag("eof"),
});
