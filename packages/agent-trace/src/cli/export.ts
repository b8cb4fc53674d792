import { toAtif } from "../atif/index.ts";
import { buildTrace, toOtlp } from "../otel/index.ts";
import type { SessionRecord } from "../totals/fold.ts";
import { agentOption, chosenFiles, CliError, load, rulesOption } from "./load.ts";
import type { exportFormats } from "./reading-verbs.ts";
import { sessionNamed } from "./show.ts";

export interface ExportOptions {
  to: (typeof exportFormats)[number];
  agent?: string;
  rules?: string[];
}

/**
 * `agent-trace export`: a session with its sub-agents on stdout: as spans (OTLP/JSON, or plain JSON), or as ATIF
 * trajectories, one a line, the session's own first.
 */
export const exportSession = (name: string, paths: readonly string[], options: ExportOptions): number => {
  const agent = agentOption(options.agent);
  const { fold } = load(chosenFiles(paths, agent), { agent, rules: rulesOption(options.rules) });
  const family = fold.family(sessionNamed(fold, name).sessionId);
  if (options.to === "atif") {
    for (const record of family) write(toAtif(record));
    return 0;
  }
  const trace = spansOf(family, name);
  write(options.to === "otlp" ? toOtlp(trace) : trace);
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
