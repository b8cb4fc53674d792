import { createHash } from "node:crypto";
import { readSync, statSync } from "node:fs";

/** Bytes before the cursor that are compared; what a rewritten file has there is another text. */
const anchorBytes = 1024;

/** What the bytes before a position are, so that another file under the same name is noticed. */
export const anchorOf = (descriptor: number, position: number): string => {
  const length = Math.min(position, anchorBytes);
  const bytes = Buffer.alloc(length);
  const read = readSync(descriptor, bytes, 0, length, position - length);
  return createHash("sha256").update(bytes.subarray(0, read)).digest("hex").slice(0, 32);
};

/** What a file looks like from outside: a file with the same stamp was not written to. Undefined when it is gone. */
export const stampOf = (paths: readonly string[]): string | undefined => {
  const stamps = paths.map((path) => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "-" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  });
  return stamps[0] === "-" ? undefined : stamps.join("; ");
};
