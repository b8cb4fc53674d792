import { buildTrace, toOtlp } from "../otel/index.ts";
import { agentOption, chosenFiles, CliError, load, rulesOption } from "./load.ts";
import { sessionNamed } from "./show.ts";

export interface ExportOptions {
  to: string;
  agent?: string;
  rules?: string[];
}

/** `agent-trace export`: a session with its sub-agents as spans, on stdout. */
export const exportSession = (name: string, paths: readonly string[], options: ExportOptions): number => {
  if (options.to !== "otlp" && options.to !== "json") throw new CliError("--to takes otlp or json", 2);
  const agent = agentOption(options.agent);
  const { fold } = load(chosenFiles(paths, agent), { agent, rules: rulesOption(options.rules) });
  const trace = buildTrace(fold.family(sessionNamed(fold, name).sessionId));
  if (trace === undefined) throw new CliError(`${name} is a session of no known agent`, 1);
  process.stdout.write(`${JSON.stringify(options.to === "otlp" ? toOtlp(trace) : trace)}\n`);
  return 0;
};
