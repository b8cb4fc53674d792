import { toAtif } from "../atif/index.ts";
import { buildTrace, toOtlp } from "../otel/index.ts";
import type { SessionRecord } from "../totals/fold.ts";
import { agentOption, chosenFiles, CliError, load, rulesOption } from "./load.ts";
import { sessionNamed } from "./show.ts";

export interface ExportOptions {
  to: string;
  agent?: string;
  rules?: string[];
}

/** What `--to` takes. */
export const exportFormats = ["otlp", "atif", "json"] as const;

/**
 * `agent-trace export`: a session with its sub-agents on stdout: as spans (OTLP/JSON, or plain JSON), or as ATIF
 * trajectories, one a line, the session's own first.
 */
export const exportSession = (name: string, paths: readonly string[], options: ExportOptions): number => {
  const format = exportFormats.find((each) => each === options.to);
  if (format === undefined) throw new CliError(`--to takes ${exportFormats.join(", ")}`, 2);
  const agent = agentOption(options.agent);
  const { fold } = load(chosenFiles(paths, agent), { agent, rules: rulesOption(options.rules) });
  const family = fold.family(sessionNamed(fold, name).sessionId);
  if (format === "atif") {
    for (const record of family) write(toAtif(record));
    return 0;
  }
  const trace = spansOf(family, name);
  write(format === "otlp" ? toOtlp(trace) : trace);
  return 0;
};

const spansOf = (
  family: readonly SessionRecord[],
  name: string,
): NonNullable<ReturnType<typeof buildTrace>> => {
  const trace = buildTrace(family);
  if (trace === undefined) throw new CliError(`${name} is a session of no known agent`, 1);
  return trace;
};

const write = (value: object): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};
