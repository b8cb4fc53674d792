import { Buffer } from "node:buffer";

/** Longest line that is read: 16 MiB. A longer one is read to its end, dropped and reported. */
export const LINE_LIMIT_BYTES = 16 * 1024 * 1024;

const firstBufferBytes = 64 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;

/** One line, without its line end (`\n` or `\r\n`). Bytes that are no UTF-8 read as U+FFFD; NUL stays. */
export interface TextLine {
  text: string;
  /** Absolute offset of the line's first byte. */
  start: number;
  /** Absolute offset behind the line and its line end: where the next one starts. */
  end: number;
  /** Bytes of the line without its line end. */
  bytes: number;
  /** False for a last line that the source ended without a newline. */
  terminated: boolean;
}

/** A line over the limit, of which nothing is kept. */
export interface DroppedLine {
  dropped: true;
  start: number;
  end: number;
  bytes: number;
  limit: number;
}

export type SplitLine = TextLine | DroppedLine;

export interface SplitterOptions {
  /** Absolute offset of the first byte that will be pushed; default 0. */
  offset?: number;
  /** Longest line in bytes; default {@link LINE_LIMIT_BYTES}. */
  limit?: number;
  /**
   * Lines that begin with one of these are passed over without being kept or decoded, and are not given out. A line whose
   * chunk ends within the beginning may be given out all the same.
   */
  skip?: readonly string[];
}

/**
 * Cuts bytes into lines, byte-exact, whatever the chunks. It holds at most one unfinished line, in a buffer that grows
 * from 64 KiB to the limit.
 */
export interface LineSplitter {
  push(chunk: Uint8Array): SplitLine[];
  /** The source has ended: gives out a last line that has no line end. */
  end(): SplitLine[];
  /** Offset behind the last line given out. Bytes from there on must be pushed again to a splitter that takes over. */
  readonly position: number;
}

export const createLineSplitter = (options: SplitterOptions = {}): LineSplitter => {
  const limit = options.limit ?? LINE_LIMIT_BYTES;
  const heads = (options.skip ?? []).map((head) => Buffer.from(head));
  let position = options.offset ?? 0;
  let held = Buffer.alloc(0);
  let heldBytes = 0;
  /** Bytes of the unfinished line so far, also those that were not kept. */
  let lineBytes = 0;
  /** The unfinished line's last byte so far: a `\r` there may belong to the line end. */
  let lastByte = 0;
  let skipping = false;

  const isSkipped = (bytes: Buffer, from: number): boolean =>
    heads.some(
      (head) => bytes.compare(head, 0, head.length, from, Math.min(bytes.length, from + head.length)) === 0,
    );

  const hold = (part: Buffer): void => {
    if (lineBytes === 0) skipping = isSkipped(part, 0);
    lineBytes += part.length;
    lastByte = part.at(-1) ?? lastByte;
    if (skipping) return;
    // One byte more than the limit: a `\r` that turns out to belong to the line end.
    if (lineBytes > limit + 1) {
      held = Buffer.alloc(0);
      heldBytes = 0;
      return;
    }
    if (heldBytes + part.length > held.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(limit + 1, Math.max(firstBufferBytes, held.length * 2, heldBytes + part.length)),
      );
      held.copy(grown, 0, 0, heldBytes);
      held = grown;
    }
    part.copy(held, heldBytes);
    heldBytes += part.length;
  };

  const finished = (line: Buffer | undefined, total: number, last: number, lineEnd: number): SplitLine => {
    const start = position;
    position = start + total + lineEnd;
    const returned = lineEnd === 1 && last === carriageReturn ? 1 : 0;
    const bytes = total - returned;
    if (line === undefined || bytes > limit) return { dropped: true, start, end: position, bytes, limit };
    const text = line.toString("utf8", 0, bytes);
    return { text, start, end: position, bytes, terminated: lineEnd === 1 };
  };

  /** Ends the held line and makes the buffer ready for the next one. */
  const take = (lineEnd: number): SplitLine[] => {
    const skipped = skipping;
    skipping = false;
    if (skipped) position += lineBytes + lineEnd;
    const kept = lineBytes <= limit + 1 ? held.subarray(0, heldBytes) : undefined;
    const lines = skipped ? [] : [finished(kept, lineBytes, lastByte, lineEnd)];
    // A rare long line must not keep its memory for the rest of the source.
    if (held.length > firstBufferBytes) held = Buffer.alloc(0);
    heldBytes = 0;
    lineBytes = 0;
    return lines;
  };

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: SplitLine[] = [];
      let from = 0;
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
        if (lineBytes > 0) {
          hold(bytes.subarray(from, at));
          lines.push(...take(1));
        } else if (isSkipped(bytes, from)) position += at + 1 - from;
        else lines.push(finished(bytes.subarray(from, at), at - from, bytes[at - 1] ?? 0, 1));
        from = at + 1;
      }
      if (from < bytes.length) hold(bytes.subarray(from));
      return lines;
    },
    end: () => (lineBytes > 0 ? take(0) : []),
    get position() {
      return position;
    },
  };
};
