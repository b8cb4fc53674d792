import type { Clock } from "./clock.ts";
import type { Mask } from "./mask.ts";
import { openRotating, type RotatingFileOptions } from "./rotating-file.ts";

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

/** A single line longer than `maxBytes` is cut to it. At least 256. */
export type FileLogOptions = LogOptions & Omit<RotatingFileOptions, "resume">;

type Level = "info" | "warn" | "error";

/** A log that goes to a file and rotates it. A disk that refuses a line costs that line, never the daemon. */
export const fileLog = (options: FileLogOptions): Log => {
  const file = openRotating(options);
  return logTo(
    options,
    (line) => {
      try {
        file.write(fitted(line, options.maxBytes));
      } catch {
        // There is nobody left to tell.
      }
    },
    () => file.close(),
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
