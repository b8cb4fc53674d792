import { closeSync, writeSync } from "node:fs";
import { HarnessError } from "../base/errors.ts";
import { APPLICATION_ERROR, encode, INTERNAL_ERROR, type Response } from "../protocol/messages.ts";

/** Tells the program that started a detached daemon how the start went, once. */
export interface Ready {
  up(): void;
  failed(error: unknown): void;
}

/** On a descriptor, as one response of the protocol; closing it is the end of the word. */
export const readyOn = (fd: number): Ready => {
  let told = false;
  const tell = (response: Response): void => {
    if (told) return;
    told = true;
    try {
      writeSync(fd, encode(response));
      closeSync(fd);
    } catch {
      // The starter did not wait.
    }
  };
  return {
    up: () => tell({ jsonrpc: "2.0", id: 0, result: "up" }),
    failed: (error) => tell(failure(error)),
  };
};

const failure = (error: unknown): Response => {
  if (error instanceof HarnessError) {
    const { code, message, hint } = error;
    const data = { code, ...(hint !== undefined && { hint }) };
    return { jsonrpc: "2.0", id: 0, error: { code: APPLICATION_ERROR, message, data } };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { jsonrpc: "2.0", id: 0, error: { code: INTERNAL_ERROR, message } };
};
