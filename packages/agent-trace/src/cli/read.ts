import { once } from "node:events";
import { homedir } from "node:os";
import { filesOf } from "../read/find.ts";
import { readPath, type ReadReport } from "../read/read-path.ts";
import { agentOption, CliError, rulesOption, tellFaults } from "./load.ts";
import { sessions } from "./sessions.ts";
import { tell } from "./tell.ts";

export interface ReadVerbOptions {
  agent?: string;
  json?: boolean;
  rules?: string[];
}

/** `agent-trace read`: the records of files and folders; with `--json` one item a line. */
export const read = async (paths: readonly string[], options: ReadVerbOptions): Promise<number> => {
  const files = filesOf(paths);
  const missing = paths.filter((path) => filesOf([path]).length === 0);
  for (const path of missing) tell(`${path}: nothing to read there`);
  if (files.length === 0) throw new CliError("no file to read", 1);
  if (options.json !== true)
    return Math.max(sessions(paths, { ...options, all: true }), missing.length > 0 ? 1 : 0);
  const agent = agentOption(options.agent);
  const rules = rulesOption(options.rules);
  const reports: ReadReport[] = [];
  for (const { path } of files) {
    // Node writes to files and pipes at once here, so that a slow reader makes us wait and holds nothing up in memory.
    reports.push(
      readPath(
        path,
        {
          item: (item) => process.stdout.write(`${JSON.stringify(item)}\n`),
        },
        { home: homedir(), rules, ...(agent === undefined ? {} : { agent }) },
      ),
    );
    if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
  }
  return tellFaults(reports, paths) + missing.length > 0 ? 1 : 0;
};
