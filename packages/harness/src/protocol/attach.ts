import { Body } from "./keeper-body.ts";
import { encodeFrame, FrameReader, KeeperProtocolError, type Frame } from "./keeper-frames.ts";

/*
 * A connection whose `attach` was answered speaks frames from then on: u32 (big-endian) length of what follows, u8 type,
 * payload. Bytes go as they are, so that a terminal costs no encoding. The client begins, with its size: nothing of this
 * can then be taken for an answer's line.
 */

/** A terminal's size in cells; both from 1 to {@link MAX_CELLS}. */
export interface ViewSize {
  cols: number;
  rows: number;
}

/** Larger terminals than anyone has; a client may ask for no more. */
const MAX_CELLS = 2000;

export type FromViewer =
  /** Keys. Dropped where the client may only look. */
  { type: "input"; bytes: Uint8Array } | { type: "size"; size: ViewSize };

export type ToViewer =
  | { type: "output"; bytes: Uint8Array }
  /** The last frame: the run has ended, or the daemon leaves. */
  | { type: "end"; reason: string };

/** Bytes of output in one frame at most. */
export const OUTPUT_FRAME_BYTES = 32 * 1024;
/** A client's frames are keys and a paste now and then. */
const INPUT_FRAME_LIMIT = 64 * 1024;
/** A repaint comes in pieces as well; this is room for a later version. */
const OUTPUT_FRAME_LIMIT = 1024 * 1024;

const BYTES = 1;
const SIZE = 2;
const END = 3;

export const encodeFromViewer = (message: FromViewer): Buffer =>
  message.type === "input"
    ? encodeFrame(BYTES, message.bytes)
    : encodeFrame(SIZE, Buffer.from(JSON.stringify(message.size)));

export const encodeToViewer = (message: ToViewer): Buffer =>
  message.type === "output"
    ? encodeFrame(BYTES, message.bytes)
    : encodeFrame(END, Buffer.from(JSON.stringify({ reason: message.reason })));

/** Reads a client's frames; `push` throws {@link KeeperProtocolError} for what is none. */
export const viewerReader = (): { push(chunk: Uint8Array): FromViewer[] } => {
  const frames = new FrameReader(INPUT_FRAME_LIMIT);
  return { push: (chunk) => frames.push(chunk).map(fromViewer) };
};

/** Reads the daemon's frames; `push` throws {@link KeeperProtocolError} for what is none. */
export const viewReader = (): { push(chunk: Uint8Array): ToViewer[] } => {
  const frames = new FrameReader(OUTPUT_FRAME_LIMIT);
  return { push: (chunk) => frames.push(chunk).map(toViewer) };
};

const fromViewer = ({ type, payload }: Frame): FromViewer => {
  if (type === BYTES) return { type: "input", bytes: payload };
  if (type !== SIZE) throw new KeeperProtocolError(`a message of type ${type}`);
  const body = Body.parse(payload);
  const size = { cols: body.count("cols"), rows: body.count("rows") };
  if (!isViewSize(size)) throw new KeeperProtocolError("a size that no terminal has");
  return { type: "size", size };
};

const toViewer = ({ type, payload }: Frame): ToViewer => {
  if (type === BYTES) return { type: "output", bytes: payload };
  if (type === END) return { type: "end", reason: Body.parse(payload).text("reason") };
  throw new KeeperProtocolError(`a message of type ${type}`);
};

const isViewSize = ({ cols, rows }: ViewSize): boolean =>
  [cols, rows].every((cells) => Number.isInteger(cells) && cells >= 1 && cells <= MAX_CELLS);
