import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
  writeSync,
} from "node:fs";
import { setImmediate } from "node:timers/promises";

/** A masked copy of a file, beside it under the name {@link rescanned} gives. */
export interface MaskedFile {
  /** Lines that changed. */
  lines: number;
  bytes: number;
  /** Lower-case hex. */
  sha256: string;
  /** Where one of the asked offsets has gone. */
  offset(before: number): number;
}

/** Where the masked copy of a file lies until it takes the file's place. */
export const rescanned = (path: string): string => `${path}.rescan`;

const LINE_FEED = 10;

/**
 * Writes a copy of the file, line by line masked, synced. `offsets` are the places that must be found again; they lie
 * between lines. Undefined when there is no file or nothing changed; there is no copy then.
 */
export const maskFile = async (
  path: string,
  mask: (line: string, at: number) => string,
  offsets: readonly number[] = [],
): Promise<MaskedFile | undefined> => {
  if (!existsSync(path)) return undefined;
  const copy = openCopy(rescanned(path), new Set(offsets));
  let held: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      const bytes = Buffer.from(chunk);
      let from = 0;
      for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
        copy.line(Buffer.concat([...held, bytes.subarray(from, at)]), true, mask);
        held = [];
        from = at + 1;
      }
      if (from < bytes.length) held.push(bytes.subarray(from));
      // The daemon goes on with its runs in between.
      await setImmediate();
    }
    const rest = Buffer.concat(held);
    if (rest.length > 0) copy.line(rest, false, mask);
    return copy.end();
  } finally {
    copy.close();
  }
};

const openCopy = (path: string, wanted: ReadonlySet<number>) => {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const descriptor = openSync(path, flags, 0o600);
  const hash = createHash("sha256");
  const moved = new Map<number, number>();
  let [before, after, lines] = [0, 0, 0];
  let kept = false;
  const write = (bytes: Buffer): void => {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    hash.update(bytes);
    after += bytes.length;
  };
  return {
    line(bytes: Buffer, ended: boolean, mask: (line: string, at: number) => string): void {
      if (wanted.has(before)) moved.set(before, after);
      const text = bytes.toString("utf8");
      const masked = mask(text, before);
      if (masked !== text) lines += 1;
      write(masked === text ? bytes : Buffer.from(masked));
      if (ended) write(Buffer.of(LINE_FEED));
      before += bytes.length + (ended ? 1 : 0);
    },
    end(): MaskedFile | undefined {
      if (wanted.has(before)) moved.set(before, after);
      if (lines === 0) return undefined;
      fsyncSync(descriptor);
      kept = true;
      const offset = (at: number): number => moved.get(at) ?? at;
      return { lines, bytes: after, sha256: hash.digest("hex"), offset };
    },
    close(): void {
      closeSync(descriptor);
      if (!kept) rmSync(path, { force: true });
    },
  };
};
