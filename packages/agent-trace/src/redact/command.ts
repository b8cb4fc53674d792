import { readFile } from "node:fs/promises";
import { createRedactor } from "./create.ts";
import { parseRuleFile } from "./rules/file.ts";

/** What `agent-trace redact` was asked to do. */
export interface RedactCommandOptions {
  /** Files to read; none means standard input. */
  files?: readonly string[];
  /** Lines are JSON and stay valid JSON. */
  jsonLines?: boolean;
  /** Print findings, one JSON object a line, in place of the masked text. */
  findings?: boolean;
  /** Path of a rule file that applies beside the built-in set. */
  rules?: string;
  /** Print version and hash of the rule set, and nothing else. */
  version?: boolean;
}

export interface RedactCommandStreams {
  stdin: AsyncIterable<Uint8Array>;
  stdout: { write(data: string | Uint8Array): unknown };
  stderr: { write(data: string): unknown };
}

/** The body of `agent-trace redact`. Gives the exit code. */
export async function redactCommand(
  options: RedactCommandOptions,
  streams: RedactCommandStreams,
): Promise<number> {
  const rules = options.rules === undefined ? [] : [parseRuleFile(await readFile(options.rules, "utf8"))];
  const redactor = createRedactor({ rules });
  if (options.version === true) {
    streams.stdout.write(`${redactor.version.set} ${redactor.version.hash}\n`);
    return 0;
  }
  const input = ReadableStream.from(streams.stdin);
  for await (const chunk of input.pipeThrough(redactor.stream({ jsonLines: options.jsonLines === true })))
    streams.stdout.write(chunk);
  return 0;
}
