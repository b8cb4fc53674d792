import { createRedactor } from "../redact/index.ts";

/** Says something on stderr, masked: a message may quote a path, an argument, or what was read. */
export const tell = (message: string): void => {
  process.stderr.write(`agent-trace: ${createRedactor().redact(message)}\n`);
};
