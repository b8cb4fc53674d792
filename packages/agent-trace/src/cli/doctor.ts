import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { agents } from "../agents/registry.ts";
import type { AgentName, MarkItem } from "../item.ts";
import type { RuleFile } from "../redact/index.ts";
import { locateSessions, machineContext } from "../read/find.ts";
import { readPath } from "../read/read-path.ts";
import { agentOption, chosenFiles, rulesOption } from "./load.ts";
import { bold, dim } from "./table.ts";

export interface DoctorOptions {
  agent?: string;
  json?: boolean;
  rules?: string[];
}

/** What was found of one agent. One JSON object a line under `--json`. */
interface AgentReport {
  agent: AgentName;
  places: { path: string; exists: boolean }[];
  files: number;
  unreadable: string[];
  unreadLines: number;
  novelties: { what: string; name: string; agentVersion?: string; count: number }[];
}

/** `agent-trace doctor`: where was looked, what was found there, and what the readers did not know. */
export const doctor = (paths: readonly string[], options: DoctorOptions): number => {
  const named = agentOption(options.agent);
  const context = machineContext();
  const reports = new Map<AgentName, AgentReport>();
  const reportOf = (agent: AgentName): AgentReport => {
    const places = agents.find(({ name }) => name === agent)?.transcript?.locate(context) ?? [];
    const report = reports.get(agent) ?? {
      agent,
      places: places.map((path) => ({ path, exists: existsSync(path) })),
      files: 0,
      unreadable: [],
      unreadLines: 0,
      novelties: [],
    };
    reports.set(agent, report);
    return report;
  };
  for (const { name } of agents) if (named === undefined || named === name) reportOf(name);
  const rules = rulesOption(options.rules);
  const located = new Map(locateSessions(context).map(({ path, agent }) => [path, agent]));
  for (const { path, agent } of chosenFiles(paths, named))
    inspect({ path, agent: agent ?? located.get(path), rules }, reportOf);
  for (const report of reports.values()) print(report, options.json === true);
  return 0;
};

const inspect = (
  { path, agent, rules }: { path: string; agent: AgentName | undefined; rules: readonly RuleFile[] },
  reportOf: (agent: AgentName) => AgentReport,
): void => {
  const marks = new Map<string, MarkItem>();
  let unread = 0;
  const read = readPath(
    path,
    {
      item: (item) => {
        if (item.type === "mark" && item.kind === "novelty") marks.set(`${item.sessionId} ${item.key}`, item);
      },
      unread: () => {
        unread += 1;
      },
    },
    { home: homedir(), rules, ...(agent === undefined ? {} : { agent }) },
  );
  const owner = read.outcome === "read" ? read.agent : agent;
  if (owner === undefined) return;
  const report = reportOf(owner);
  report.files += 1;
  report.unreadLines += unread;
  if (read.outcome === "unreadable") report.unreadable.push(`${path}: ${read.error}`);
  for (const { novelty, count = 1 } of marks.values()) {
    if (novelty === undefined) continue;
    const known = report.novelties.find(
      ({ what, name, agentVersion }) =>
        what === novelty.what && name === novelty.name && agentVersion === novelty.agentVersion,
    );
    if (known !== undefined) known.count += count;
    else {
      const { what, name, agentVersion } = novelty;
      report.novelties.push({ what, name, count, ...(agentVersion === undefined ? {} : { agentVersion }) });
    }
  }
};

const tilde = (path: string): string =>
  path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path;

const print = (report: AgentReport, json: boolean): void => {
  if (json) {
    process.stdout.write(`${JSON.stringify(report)}\n`);
    return;
  }
  const read = `${report.files} files, ${report.unreadLines} lines unread`;
  process.stdout.write(`${bold(report.agent)}: ${report.files === 0 ? "no files" : read}\n`);
  for (const { path, exists } of report.places)
    process.stdout.write(`  ${exists ? "in" : dim("not there:")} ${tilde(path)}\n`);
  for (const fault of report.unreadable) process.stdout.write(`  unreadable ${fault}\n`);
  for (const { what, name, agentVersion = "?", count } of report.novelties)
    process.stdout.write(`  unknown ${what} ${name}, ${count} times, version ${agentVersion}\n`);
};
