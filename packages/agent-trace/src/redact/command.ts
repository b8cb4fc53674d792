import { createReadStream } from "node:fs";
import { createRedactor } from "./create.ts";
import type { Redactor } from "./redactor.ts";
import { readRuleFiles } from "./rules/read.ts";

/** What `agent-trace redact` was asked to do. */
export interface RedactCommandOptions {
  /** Files to read; none means standard input. */
  files?: readonly string[];
  /** Lines are JSON and stay valid JSON. */
  jsonLines?: boolean;
  /** Print findings, one JSON object a line, in place of the masked text. */
  findings?: boolean;
  /** Paths of rule files that apply beside the built-in set. */
  rules?: readonly string[];
  /** Print version and hash of the rule set, and nothing else. */
  version?: boolean;
}

export interface RedactCommandStreams {
  stdin: AsyncIterable<Uint8Array>;
  stdout: { write(data: string | Uint8Array): unknown };
  stderr: { write(data: string): unknown };
}

/**
 * The body of `agent-trace redact`. Gives the exit code: 0, with `--findings` 1 when there were any, 2 when a file could
 * not be read. Nothing is written that was not looked at.
 */
export async function redactCommand(
  options: RedactCommandOptions,
  streams: RedactCommandStreams,
): Promise<number> {
  try {
    const redactor = createRedactor({ rules: readRuleFiles(options.rules ?? []) });
    if (options.version === true) {
      streams.stdout.write(`${redactor.version.set} ${redactor.version.hash}\n`);
      return 0;
    }
    let found = 0;
    for (const [name, input] of inputs(options.files ?? [], streams.stdin)) {
      if (options.findings === true) found += await printFindings(redactor, name, input, streams);
      else await printMasked(redactor, input, options, streams);
    }
    if (redactor.overBudget > 0)
      streams.stderr.write(
        `redact: ${redactor.overBudget} lines took too long to look at and were masked whole\n`,
      );
    return found > 0 ? 1 : 0;
  } catch (error) {
    // A message may quote what was read; it is masked like everything else.
    const message = error instanceof Error ? error.message : String(error);
    streams.stderr.write(`redact: ${createRedactor().redact(message)}\n`);
    return 2;
  }
}

function inputs(
  files: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
): [string | undefined, AsyncIterable<Uint8Array>][] {
  if (files.length === 0) return [[undefined, stdin]];
  return files.map((file) => [file, file === "-" ? stdin : createReadStream(file)]);
}

async function printMasked(
  redactor: Redactor,
  input: AsyncIterable<Uint8Array>,
  options: RedactCommandOptions,
  { stdout }: RedactCommandStreams,
): Promise<void> {
  const masked = ReadableStream.from(input).pipeThrough(
    redactor.stream({ jsonLines: options.jsonLines === true }),
  );
  for await (const chunk of masked) stdout.write(chunk);
}

/** Findings by rule, line and columns (from 1, in UTF-16 units), never the secret. */
async function printFindings(
  redactor: Redactor,
  file: string | undefined,
  input: AsyncIterable<Uint8Array>,
  { stdout }: RedactCommandStreams,
): Promise<number> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const findings = redactor.findings(text);
  let line = 1;
  let lineStart = 0;
  for (const { rule, start, end } of findings) {
    for (let at = text.indexOf("\n", lineStart); at >= 0 && at < start; at = text.indexOf("\n", lineStart)) {
      line += 1;
      lineStart = at + 1;
    }
    const place = { line, column: start - lineStart + 1, length: end - start };
    stdout.write(`${JSON.stringify({ rule, ...(file === undefined ? {} : { file }), ...place })}\n`);
  }
  return findings.length;
}
