import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Longest part of a line that is shown. */
export const LINE_BYTES = 64 * 1024;
/** Most that is shown of a file. */
export const FILE_BYTES = 8 * 1024 * 1024;

/** Prints a file that may still grow: first its tail, then what has come since, by whole lines. */
export interface RawFile {
  /** What is new, each line at most {@link LINE_BYTES} long; at most {@link FILE_BYTES} of the file's end. */
  read(): string;
}

export const rawFile = (path: string): RawFile => {
  let offset: number | undefined;
  return {
    read: () => {
      const fd = openSync(path, "r");
      try {
        const { size } = fstatSync(fd);
        const from = Math.max(offset ?? 0, size - FILE_BYTES);
        const bytes = readRange(fd, from, size);
        const start = from > (offset ?? 0) ? bytes.indexOf("\n") + 1 : 0;
        // Without a line end at its end the last line is still being written.
        const end = bytes.lastIndexOf("\n") + 1;
        offset = from + end;
        return shownLines(bytes.subarray(start, end));
      } finally {
        closeSync(fd);
      }
    },
  };
};

const readRange = (fd: number, from: number, to: number): Buffer => {
  const bytes = Buffer.alloc(Math.max(0, to - from));
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(fd, bytes, filled, bytes.length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
};

const shownLines = (bytes: Buffer): string => {
  let shown = "";
  let from = 0;
  for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", from)) {
    const line = bytes.subarray(from, Math.min(end, from + LINE_BYTES)).toString("utf8");
    shown += end - from > LINE_BYTES ? `${line}… [${end - from} bytes]\n` : `${line}\n`;
    from = end + 1;
  }
  return shown;
};
