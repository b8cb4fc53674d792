import { createHash } from "node:crypto";
import { fstatSync, readSync, statSync } from "node:fs";

/** Bytes right before the cursor that are compared. */
const lastBytes = 1024;
/** Besides, so many samples of what lies before are. */
const samples = 15;
const sampleBytes = 64;
/** A title line at the beginning may be rewritten in place while the file goes on. */
const firstSample = 512;

/** What a file holds before a position, so that another one under the same name is noticed. */
export const anchorOf = (descriptor: number, position: number): string => {
  const hash = createHash("sha256");
  const add = (from: number, to: number): void => {
    const bytes = Buffer.alloc(to - from);
    hash.update(bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from)));
  };
  for (let sample = 1; sample <= samples; sample += 1) {
    const from = Math.floor((position / (samples + 1)) * sample);
    if (from >= firstSample && from + sampleBytes <= position) add(from, from + sampleBytes);
  }
  add(Math.max(position - lastBytes, 0), position);
  return `${fstatSync(descriptor).ino} ${hash.digest("hex").slice(0, 32)}`;
};

/** What a file looks like from outside: a file with the same stamp was not written to. Undefined when it is gone. */
export const stampOf = (paths: readonly string[]): string | undefined => {
  const stamps = paths.map((path) => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "-" : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  });
  return stamps[0] === "-" ? undefined : stamps.join("; ");
};
