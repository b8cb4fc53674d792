import { closeSync, constants, ftruncateSync, mkdirSync, openSync, fstatSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** A file that one run's lines go to. Every method throws what the system says. */
export interface FileSink {
  /** Bytes in the file. */
  size(): number;
  /** Writes all of the bytes at that offset. After a failure the file may hold a part of them. */
  write(bytes: Uint8Array, at: number): void;
  /** Cuts the file to that many bytes. */
  truncate(length: number): void;
  close(): void;
}

export type OpenFileSink = (path: string) => FileSink;

/** Opens or makes the file, 0600 in a 0700 folder. It is not followed if it is a link: the name is ours. */
export const openFileSink: OpenFileSink = (path) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  return {
    size: () => fstatSync(descriptor).size,
    write: (bytes, at) => {
      // A write to a disk that is nearly full stops short; the next one says why.
      for (let done = 0; done < bytes.length;) {
        done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
      }
    },
    truncate: (length) => ftruncateSync(descriptor, length),
    close: () => closeSync(descriptor),
  };
};
