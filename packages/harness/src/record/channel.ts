import { createLineSplitter, type LineSplitter } from "@orphus/agent-trace";

/** One line of a channel, without its line end, raw. */
export type ChannelLine =
  | { type: "line"; text: string; end: number }
  /** Longer than is read. */
  | { type: "dropped"; bytes: number; limit: number; end: number }
  /** Of this line a part is gone: it was let go of before a restart, or never came. `bytes` is what is known of it. */
  | { type: "cut"; bytes: number; end: number };

/** Where a channel goes on after a restart. */
export interface ChannelPosition {
  /** Absolute offset of the next byte. */
  offset: number;
  /** Bytes of an unfinished line that were taken before `offset` and are gone. 0 = `offset` begins a line. */
  cut: number;
}

export interface ChannelOptions {
  /** Longest line in bytes. */
  limit: number;
  position?: ChannelPosition;
}

/**
 * Cuts one channel's bytes into lines. A restart goes on behind the last line given out: bytes from there on are asked
 * for again. Of a line that is longer than its sender holds back, the beginning has to be let go of; should this process
 * then end, that one line is cut, and says so.
 */
export interface ChannelReader {
  /** `from` is the absolute offset of the first byte. Bytes that were seen already are passed over. */
  push(from: number, bytes: Uint8Array): ChannelLine[];
  /** The channel has ended: gives out a last line without a line end. */
  end(): ChannelLine[];
  /** Offset behind the last byte that was pushed. */
  readonly received: number;
  /** Where a restart may go on once every line given out is committed. `letGo` counts the unfinished line as taken too. */
  position(letGo: boolean): ChannelPosition;
}

const NEWLINE = 0x0a;

export const createChannel = (options: ChannelOptions): ChannelReader => {
  const start = options.position ?? { offset: 0, cut: 0 };
  let received = start.offset;
  /** Bytes known of a line whose beginning is gone, while its end has not come. */
  let cut = start.cut;
  /** Offset behind the last line given out. */
  let given = start.offset;
  let splitter = createLineSplitter({ offset: start.offset, limit: options.limit });

  const give = (line: ChannelLine): ChannelLine => {
    given = line.end;
    return line;
  };

  const split = (found: ReturnType<LineSplitter["push"]>): ChannelLine[] =>
    found.map((line) =>
      give(
        "dropped" in line
          ? { type: "dropped", bytes: line.bytes, limit: line.limit, end: line.end }
          : { type: "line", text: line.text, end: line.end },
      ),
    );

  const endCut = (end: number): ChannelLine => {
    const line = give({ type: "cut", bytes: cut, end });
    cut = 0;
    splitter = createLineSplitter({ offset: end, limit: options.limit });
    return line;
  };

  const pushCut = (bytes: Uint8Array): ChannelLine[] => {
    const newline = bytes.indexOf(NEWLINE);
    cut += newline === -1 ? bytes.length : newline;
    if (newline === -1) {
      received += bytes.length;
      return [];
    }
    received += newline + 1;
    const line = endCut(received);
    return [line, ...pushWhole(bytes.subarray(newline + 1))];
  };

  const pushWhole = (bytes: Uint8Array): ChannelLine[] => {
    received += bytes.length;
    return split(splitter.push(bytes));
  };

  return {
    push(from, bytes) {
      if (from > received) {
        // Bytes never came: the unfinished line before them has no end, the one after them no beginning.
        const unfinished = cut > 0 ? cut : received - given;
        cut = unfinished + (from - received);
        received = from;
      }
      const fresh = bytes.subarray(Math.min(bytes.length, received - from));
      if (fresh.length === 0) return [];
      return cut > 0 ? pushCut(fresh) : pushWhole(fresh);
    },
    end: () => (cut > 0 ? [endCut(received)] : split(splitter.end())),
    get received() {
      return received;
    },
    position(letGo) {
      if (cut > 0) return { offset: received, cut };
      return letGo ? { offset: received, cut: received - given } : { offset: given, cut: 0 };
    },
  };
};
