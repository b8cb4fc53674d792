import { Body } from "./keeper-body.ts";
import { encodeFrame, KeeperProtocolError, type Frame } from "./keeper-frames.ts";
import {
  KEEPER_CHANNELS,
  REFUSAL_CODES,
  type ChildExit,
  type FromKeeper,
  type KeeperChannel,
  type SpawnSpec,
  type TerminalSize,
  type ToKeeper,
} from "./keeper.ts";

/** Frame types. A number is never used again. */
const TO_KEEPER = {
  hello: 1,
  list: 2,
  spawn: 3,
  read: 4,
  ack: 5,
  write: 6,
  resize: 7,
  signal: 8,
  forget: 9,
  quit: 10,
} as const;
const FROM_KEEPER = {
  reply: 64,
  refusal: 65,
  data: 66,
  exit: 67,
  eof: 68,
  group_gone: 69,
  displaced: 70,
} as const;

export const encodeToKeeper = (message: ToKeeper): Buffer =>
  message.type === "write"
    ? encodeFrame(TO_KEEPER.write, nameHeader(message.run), message.bytes)
    : encodeFrame(TO_KEEPER[message.type], json(message));

export const encodeFromKeeper = (message: FromKeeper): Buffer =>
  message.type === "data"
    ? encodeFrame(FROM_KEEPER.data, dataHeader(message), message.bytes)
    : encodeFrame(FROM_KEEPER[message.type], json(message));

/** The type is in the frame already. */
const json = (message: { type: string }): Buffer =>
  Buffer.from(JSON.stringify({ ...message, type: undefined }));

/** Before the bytes of a `data` message: u8 channel, u64 offset, u16 length of the run's name, the name. */
const DATA_HEADER_BYTES = 11;

type Data = Extract<FromKeeper, { type: "data" }>;

const dataHeader = ({ run, channel, from }: Data): Buffer => {
  const name = Buffer.from(run);
  const header = Buffer.allocUnsafe(DATA_HEADER_BYTES);
  header.writeUInt8(KEEPER_CHANNELS.indexOf(channel), 0);
  header.writeBigUInt64BE(BigInt(from), 1);
  header.writeUInt16BE(name.length, 9);
  return Buffer.concat([header, name]);
};

/** Before the bytes of a `write` message: u16 length of the run's name, the name. */
const nameHeader = (run: string): Buffer => {
  const name = Buffer.from(run);
  const header = Buffer.allocUnsafe(2);
  header.writeUInt16BE(name.length, 0);
  return Buffer.concat([header, name]);
};

const decodeWrite = (payload: Buffer): Extract<ToKeeper, { type: "write" }> => {
  const end = 2 + (payload.length < 2 ? Infinity : payload.readUInt16BE(0));
  if (payload.length < end) throw new KeeperProtocolError("a write message without its header");
  return { type: "write", run: payload.toString("utf8", 2, end), bytes: payload.subarray(end) };
};

const decodeData = (payload: Buffer): Data => {
  if (payload.length < DATA_HEADER_BYTES) throw new KeeperProtocolError("a data message without its header");
  const channel = KEEPER_CHANNELS[payload.readUInt8(0)];
  if (channel === undefined) throw new KeeperProtocolError("a channel that does not exist");
  const end = DATA_HEADER_BYTES + payload.readUInt16BE(9);
  return {
    type: "data",
    run: payload.toString("utf8", DATA_HEADER_BYTES, end),
    channel,
    from: Number(payload.readBigUInt64BE(1)),
    bytes: payload.subarray(end),
  };
};

/** What a daemon says. Throws {@link KeeperProtocolError} for what is no message. */
export const decodeToKeeper = ({ type, payload }: Frame): ToKeeper => {
  if (type === TO_KEEPER.write) return decodeWrite(payload);
  const body = Body.parse(payload);
  switch (type) {
    case TO_KEEPER.hello:
      return {
        type: "hello",
        id: body.count("id"),
        protocol: body.count("protocol"),
        epoch: body.count("epoch"),
      };
    case TO_KEEPER.list:
      return { type: "list", id: body.count("id") };
    case TO_KEEPER.spawn:
      return { type: "spawn", id: body.count("id"), run: body.text("run"), spec: spec(body.object("spec")) };
    case TO_KEEPER.read:
      return {
        type: "read",
        id: body.count("id"),
        run: body.text("run"),
        channel: channelOf(body),
        from: body.count("from"),
      };
    case TO_KEEPER.ack:
      return { type: "ack", run: body.text("run"), channel: channelOf(body), offset: body.count("offset") };
    case TO_KEEPER.resize:
      return { type: "resize", run: body.text("run"), size: terminalSize(body.object("size")) };
    case TO_KEEPER.signal:
      return {
        type: "signal",
        id: body.count("id"),
        run: body.text("run"),
        signal: body.text("signal"),
        group: body.flag("group"),
      };
    case TO_KEEPER.forget:
      return { type: "forget", id: body.count("id"), run: body.text("run") };
    case TO_KEEPER.quit:
      return { type: "quit", id: body.count("id") };
    default:
      throw new KeeperProtocolError(`a message of type ${type}`);
  }
};

/** What a keeper says. Throws {@link KeeperProtocolError} for what is no message. */
export const decodeFromKeeper = ({ type, payload }: Frame): FromKeeper => {
  if (type === FROM_KEEPER.data) return decodeData(payload);
  const body = Body.parse(payload);
  switch (type) {
    case FROM_KEEPER.reply:
      return { type: "reply", id: body.count("id"), result: body.object("result").value };
    case FROM_KEEPER.refusal:
      return {
        type: "refusal",
        id: body.count("id"),
        code: body.oneOf("code", REFUSAL_CODES),
        message: body.text("message"),
      };
    case FROM_KEEPER.exit:
      return { type: "exit", run: body.text("run"), exit: exitOf(body.object("exit")) };
    case FROM_KEEPER.eof:
      return { type: "eof", run: body.text("run"), channel: channelOf(body), length: body.count("length") };
    case FROM_KEEPER.group_gone:
      return { type: "group_gone", run: body.text("run") };
    case FROM_KEEPER.displaced:
      return { type: "displaced", epoch: body.count("epoch") };
    default:
      throw new KeeperProtocolError(`a message of type ${type}`);
  }
};

const channelOf = (body: Body): KeeperChannel => body.oneOf("channel", KEEPER_CHANNELS);

const spec = (body: Body): SpawnSpec => ({
  file: body.text("file"),
  args: body.texts("args"),
  cwd: body.text("cwd"),
  env: body.textsByKey("env"),
  umask: body.count("umask"),
  ...(body.has("terminal") ? { terminal: terminalSize(body.object("terminal")) } : {}),
});

export const terminalSize = (body: Body): TerminalSize => ({
  cols: body.count("cols"),
  rows: body.count("rows"),
});

export const exitOf = (body: Body): ChildExit => ({
  code: body.nullable("code", (of) => of.count("code")),
  signal: body.nullable("signal", (of) => of.text("signal")),
  at: body.count("at"),
});
