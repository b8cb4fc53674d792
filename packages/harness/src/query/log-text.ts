import { closeSync, openSync, readSync } from "node:fs";
import type { OutputSegment } from "../store/read.ts";

/** A line of the run log is shown up to here. */
const SHOWN_LINE_LENGTH = 64 * 1024;

/** Reads stretches of a run log. */
export interface LogText {
  /** The lines of a stretch, without their ends. */
  lines(segment: OutputSegment): string[];
  /** A stretch was asked for that is not there any more. */
  readonly missing: boolean;
  close(): void;
}

export const createLogText = (path: string): LogText => {
  let descriptor: number | undefined;
  let missing = false;

  const read = ({ from, to }: OutputSegment): string => {
    descriptor ??= openSync(path, "r");
    const bytes = Buffer.alloc(to - from);
    const count = readSync(descriptor, bytes, 0, bytes.length, from);
    if (count < bytes.length) missing = true;
    return bytes.toString("utf8", 0, count);
  };

  return {
    lines(segment) {
      try {
        const text = read(segment);
        if (text === "") return [];
        return text
          .replace(/\n$/, "")
          .split("\n")
          .map((line) => line.slice(0, SHOWN_LINE_LENGTH));
      } catch {
        missing = true;
        return [];
      }
    },
    get missing() {
      return missing;
    },
    close: () => {
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
};
