import { createRedactor, type Redactor } from "../redact/index.ts";

let redactor: Redactor | undefined;

/** Writes to stderr, masked: what is said there may quote a path, an argument, or what was read. */
export const writeError = (text: string): void => {
  redactor ??= createRedactor();
  process.stderr.write(redactor.redact(text));
};

/** Says something on stderr. */
export const tell = (message: string): void => writeError(`agent-trace: ${message}\n`);
