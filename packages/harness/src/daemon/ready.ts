import { closeSync, writeSync } from "node:fs";
import { HarnessError } from "../base/errors.ts";
import type { ErrorShape } from "../protocol/methods.ts";

/** Tells the program that started a detached daemon how the start went, once. */
export interface Ready {
  up(): void;
  failed(error: unknown): void;
}

/** On a descriptor: `ok`, or an error's shape; closing it is the end of the word. */
export const readyOn = (fd: number): Ready => {
  let told = false;
  const tell = (word: string): void => {
    if (told) return;
    told = true;
    try {
      writeSync(fd, word);
      closeSync(fd);
    } catch {
      // The starter did not wait.
    }
  };
  return {
    up: () => tell("ok"),
    failed: (error) => tell(JSON.stringify(shapeOf(error))),
  };
};

const shapeOf = (error: unknown): ErrorShape => {
  if (error instanceof HarnessError) {
    const { code, message, hint } = error;
    return { error: { code, message, ...(hint !== undefined && { hint }) } };
  }
  return { error: { code: "internal", message: error instanceof Error ? error.message : String(error) } };
};
