import type { FileSink, OpenFileSink } from "./file-sink.ts";

/** What a file says about itself in place of what it does not hold. */
export type FileMarker =
  /** Nothing is written behind this; `limit` in bytes. */
  | { what: "truncated"; limit: number }
  /** Lines that could not be written are missing here. */
  | { what: "gap"; lines: number; bytes: number; reason: string };

/** Bytes of the file that came from one channel. */
export interface Written {
  channel: "stdout" | "stderr";
  from: number;
  to: number;
  text: string;
}

/** What must be known to go on with the file after a restart; part of the cursor's state. */
export interface LineFileState {
  truncated: boolean;
  gap: { lines: number; bytes: number; reason: string } | null;
}

export interface LineFileOptions {
  path: string;
  open: OpenFileSink;
  maxBytes: number;
  /** The marker as one line, without its line end. */
  marker(marker: FileMarker): string;
  /** The file can not be written (told once per stretch), or is not as it was left. */
  onFault(message: string): void;
  /** Bytes that are committed; what the file holds beyond them is cut off. */
  length?: number;
  state?: LineFileState;
}

/**
 * A file of whole lines that outlives its disk's troubles: lines wait in memory until {@link LineFile.flush}; what cannot
 * be written is left out, and as soon as the disk takes something again a marker says how much is missing.
 */
export interface LineFile {
  append(line: string, channel: "stdout" | "stderr"): void;
  /** Bytes that wait for the next flush. */
  readonly waiting: number;
  /** Writes what waits. Returns where it went; nothing of what could not be written. */
  flush(): Written[];
  /** Bytes of whole lines in the file after the last flush. */
  readonly length: number;
  state(): LineFileState;
  /** Tries once more to say what is missing, and closes. What waits must have been flushed. */
  seal(): void;
  /** Closes without a word: another process goes on with the file. */
  release(): void;
}

interface Line {
  channel: "stdout" | "stderr";
  bytes: Buffer;
}

export const createLineFile = (options: LineFileOptions): LineFile => {
  let sink: FileSink | undefined;
  let length = options.length ?? 0;
  let truncated = options.state?.truncated ?? false;
  let gap = options.state?.gap ?? null;
  let lines: Line[] = [];
  let waiting = 0;

  /** Brings the file back to the whole lines that count. */
  const opened = (): FileSink => {
    if (sink !== undefined) return sink;
    const fresh = options.open(options.path);
    const size = fresh.size();
    if (size > length) fresh.truncate(length);
    if (size < length) {
      options.onFault(`${options.path} is ${length - size} bytes shorter than it was left; they are lost.`);
      length = size;
    }
    sink = fresh;
    return fresh;
  };

  const lost = (error: unknown, unwritten: readonly Line[]): void => {
    const reason = systemReason(error);
    if (gap === null) {
      options.onFault(`${options.path} cannot be written (${reason}); the run goes on, the file has a gap.`);
    }
    const bytes = unwritten.reduce((sum, line) => sum + line.bytes.length, 0);
    gap = { lines: (gap?.lines ?? 0) + unwritten.length, bytes: (gap?.bytes ?? 0) + bytes, reason };
    try {
      // A part of the lines may have been written: the file ends with a whole line or not at all.
      sink?.truncate(length);
    } catch {
      // The next flush writes at `length` in any case, over whatever is there.
    }
  };

  const put = (bytes: Buffer): void => {
    opened().write(bytes, length);
    length += bytes.length;
  };

  const markerLine = (marker: FileMarker): Buffer => Buffer.from(`${options.marker(marker)}\n`);

  /** The lines that still fit under the limit; sets `truncated` at the first that does not. */
  const fitting = (all: readonly Line[]): Line[] => {
    let end = length;
    const fit: Line[] = [];
    for (const line of all) {
      end += line.bytes.length;
      if (end > options.maxBytes) return fit;
      fit.push(line);
    }
    return fit;
  };

  const writeAll = (all: readonly Line[]): Written[] => {
    if (gap !== null) {
      put(markerLine({ what: "gap", ...gap }));
      gap = null;
    }
    const fit = fitting(all);
    const start = length;
    if (fit.length > 0) put(Buffer.concat(fit.map((line) => line.bytes)));
    const written = segments(fit, start);
    if (fit.length < all.length) {
      put(markerLine({ what: "truncated", limit: options.maxBytes }));
      truncated = true;
    }
    return written;
  };

  const flush = (): Written[] => {
    const all = lines;
    lines = [];
    waiting = 0;
    if (all.length === 0) return [];
    const before = { length, gap };
    try {
      return writeAll(all);
    } catch (error) {
      // Whatever part of this stretch was written goes with the rest of it: it is one gap.
      ({ length, gap } = before);
      lost(error, all);
      return [];
    }
  };

  const release = (): void => {
    sink?.close();
    sink = undefined;
  };

  return {
    append(line, channel) {
      if (truncated) return;
      const bytes = Buffer.from(`${line}\n`);
      lines.push({ channel, bytes });
      waiting += bytes.length;
    },
    get waiting() {
      return waiting;
    },
    flush,
    get length() {
      return length;
    },
    state: () => ({ truncated, gap }),
    seal() {
      try {
        // An empty stream has its file too; a gap at the very end is told here or never.
        opened();
        if (gap !== null) {
          put(markerLine({ what: "gap", ...gap }));
          gap = null;
        }
      } catch (error) {
        lost(error, []);
      }
      release();
    },
    release,
  };
};

/** Stretches of one channel, as one piece each. */
const segments = (lines: readonly Line[], start: number): Written[] => {
  const written: Written[] = [];
  let at = start;
  for (const { channel, bytes } of lines) {
    const last = written.at(-1);
    const text = bytes.toString("utf8");
    if (last !== undefined && last.channel === channel) {
      last.to += bytes.length;
      last.text += text;
    } else {
      written.push({ channel, from: at, to: at + bytes.length, text });
    }
    at += bytes.length;
  }
  return written;
};

/** The system's own word for what went wrong, such as `ENOSPC`. */
const systemReason = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown error";
