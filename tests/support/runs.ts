import assert from "node:assert/strict";
import type { TraceItem } from "@orphus/agent-trace/item";
import type { LogPage, RunRow } from "@orphus/harness/client";
import { join } from "node:path";
import { repository, type Sandbox } from "./sandbox.ts";

export const runsOf = async (sandbox: Sandbox): Promise<RunRow[]> => {
  const { code, stdout, stderr } = await sandbox.harness("runs", "--json");
  assert.equal(code, 0, stderr);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
  return JSON.parse(stdout) as RunRow[];
};

export const logOf = async (sandbox: Sandbox, name: string, runId = 1): Promise<LogPage> => {
  const { code, stdout, stderr } = await sandbox.harness("logs", name, "--run", String(runId), "--json");
  assert.equal(code, 0, stderr);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own output; a wrong shape fails the test
  return JSON.parse(stdout) as LogPage;
};

export const itemsOf = (log: LogPage): TraceItem[] =>
  log.entries.flatMap((entry) => (entry.type === "item" ? [entry.item] : []));

/** Puts the player of captured streams on PATH as `claude`. */
export const installPlayer = (sandbox: Sandbox): void =>
  sandbox.agent("claude", { link: join(repository, "tests", "player", "claude") });

/** A `claude-code` one-shot in `workdir`. */
export const claudeHarness = (name: string, workdir: string, more = ""): string => `
[harness.${name}]
harness = "claude-code"
workdir = ${JSON.stringify(workdir)}
prompt = "Make hello.txt, read it back, then report."
auto_accept = true
${more}
`;

/** What a folder's `.player.json` says. */
export const playing = (settings: Record<string, unknown>): Record<string, string> => ({
  ".player.json": JSON.stringify({ speed: "max", ...settings }),
});

export const streamFile = (sandbox: Sandbox, name: string, runId = 1): string =>
  join(sandbox.state, "jobs", name, `${runId}.stream.jsonl`);
