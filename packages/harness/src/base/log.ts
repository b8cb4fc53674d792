import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import type { Clock } from "./clock.ts";
import type { Mask } from "./mask.ts";

/** The daemon's own log: lines of `time level message`, masked before they are written. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  close(): void;
}

export interface LogOptions {
  clock: Clock;
  /** The redactor. Every line goes through it: what the daemon says can quote what an agent said. */
  mask: Mask;
}

export interface FileLogOptions extends LogOptions {
  path: string;
  /** No file ever grows beyond this many bytes; a single longer line is cut to it. At least 256. */
  maxBytes: number;
  /** How many full files are kept, as `<path>.1` (the newest) and so on. */
  backups: number;
}

type Level = "info" | "warn" | "error";

/** A log that goes to a file and rotates it. A disk that refuses a line costs that line, never the daemon. */
export const fileLog = (options: FileLogOptions): Log => {
  const { path, maxBytes, backups } = options;
  let fd = openAppending(path);
  let size = fstatSync(fd).size;

  const rotate = (): void => {
    for (let number = backups; number > 0; number -= 1) {
      moveIfThere(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    }
    // Opened before the full one is let go, so that a failure leaves a file to write to.
    const next = openAppending(path, backups === 0);
    closeSync(fd);
    fd = next;
    size = fstatSync(fd).size;
  };

  return logTo(
    options,
    (line) => {
      try {
        const bytes = fitted(line, maxBytes);
        if (size + bytes.length > maxBytes) rotate();
        writeSync(fd, bytes);
        size += bytes.length;
      } catch {
        // There is nobody left to tell.
      }
    },
    () => closeSync(fd),
  );
};

/** A log for the foreground. */
export const streamLog = (options: LogOptions, stream: { write(line: string): unknown }): Log =>
  logTo(
    options,
    (line) => stream.write(line),
    () => undefined,
  );

const logTo = (options: LogOptions, write: (line: string) => void, close: () => void): Log => {
  const record = (level: Level, message: string): void => {
    const time = new Date(options.clock.now()).toISOString();
    write(`${time} ${level.padEnd(5)} ${oneLine(options.mask(message))}\n`);
  };
  return {
    info: (message) => record("info", message),
    warn: (message) => record("warn", message),
    error: (message) => record("error", message),
    close,
  };
};

/** Line breaks stay visible as ` | `; other control characters, which could drive a terminal, go. */
const oneLine = (text: string): string =>
  text
    .trimEnd()
    .replaceAll(/\s*[\r\n]+\s*/g, " | ")
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "");

const cutMark = " [cut]\n";

/** The line's bytes, cut at a character's end when it alone would not fit into a file. */
const fitted = (line: string, maxBytes: number): Buffer => {
  const bytes = Buffer.from(line);
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes - cutMark.length;
  // A byte of the form 10xxxxxx continues a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(cutMark)]);
};

const openAppending = (path: string, empty = false): number => openSync(path, empty ? "w" : "a", 0o600);

const moveIfThere = (from: string, to: string): void => {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
};
