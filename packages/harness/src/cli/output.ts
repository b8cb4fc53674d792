import type { Output } from "./context.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A stream of the process as verbs see it. */
export const outputOf = (stream: NodeJS.WriteStream, env: Environment): Output => ({
  write: (text) => {
    stream.write(text);
  },
  // The property is absent, not false, on what is no terminal.
  isTty: stream.isTTY ?? false,
  color: (stream.isTTY ?? false) && !env["NO_COLOR"] && env["TERM"] !== "dumb",
  columns: stream.isTTY ? Math.max(40, stream.columns) : Infinity,
});

/** Writes a value as `--json` shows it. */
export const writeJson = (output: Output, value: unknown): void =>
  output.write(`${JSON.stringify(value, null, 2)}\n`);
