import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { addTokens, RecordFold } from "@orphus/agent-trace";
import type { LogPage, RunRow } from "@orphus/harness/client";
import { logOf, runsOf } from "../support/runs.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import type { Place, RealAgent } from "./agents/real-agent.ts";
import { costOf } from "./check/ending.ts";
import { differencesOf } from "./check/record.ts";
import { installedModules, installsHere } from "./install.ts";
import type { Played } from "./model/played.ts";
import { makePlace } from "./run.ts";
import { toolCalls as scenario } from "./scenarios.ts";

/** Runs a real agent under the harness, as an operator would, and compares its record and ledger row with the script. */
export const testSupervised = (agent: RealAgent): void => {
  const modules = installedModules(installsHere(), agent);
  const name = `${agent.name} ${agent.packages[0].version}: under the harness, ${scenario.name}`;
  test(name, { skip: modules === undefined && "it is not installed" }, async (t) => {
    assert.ok(modules);
    const sandbox = createSandbox(t);
    const folders = { home: sandbox.home, work: sandbox.workdir("work") };
    const { place, script, played } = await makePlace(t, agent, scenario, folders);
    installAgent(sandbox, agent, modules);
    sandbox.config(definition(sandbox, agent, place));
    await sandbox.startDaemon();
    const ended = await sandbox.harness("trigger", "job", "--wait");
    const log = await logOf(sandbox, "job");
    const [run] = await runsOf(sandbox);
    const wrong = differencesOf({
      agent,
      facts: factsOf(agent, log),
      scenario,
      script,
      played,
      work: place.work,
      sessions: foldOf(log).sessions,
    });
    assert.deepEqual(wrong, [], ended.stderr);
    assert.equal(ended.code, 0, ended.stderr);
    assert.ok(run);
    checkRow(run, agent, played, log);
  });
};

/** Puts the agent's program on PATH under the name that the harness looks for. */
const installAgent = (sandbox: Sandbox, agent: RealAgent, modules: string): void => {
  const words = agent.command(modules).map((word) => `'${word}'`);
  sandbox.agent(agent.program, { script: `#!/bin/sh\nexec ${words.join(" ")} "$@"\n` });
};

const definition = (sandbox: Sandbox, agent: RealAgent, place: Place): string => {
  const file = join(sandbox.dir, "agent.env");
  const variables = Object.entries(agent.environment(place.modelUrl));
  writeFileSync(file, variables.map(([key, value]) => `${key}=${value}\n`).join(""), { mode: 0o600 });
  return `
[harness.job]
harness = "${agent.name}"
workdir = ${JSON.stringify(place.work)}
prompt = ${JSON.stringify(scenario.prompt)}
model = ${JSON.stringify(agent.modelArgument ?? agent.model)}
auto_accept = true
env_file = ${JSON.stringify(file)}
`;
};

/** The run is recorded from its stream; where the transcripts are read as well they say more. */
const factsOf = (agent: RealAgent, { entries }: LogPage): RealAgent["stream"] =>
  entries.some((entry) => entry.type === "item" && entry.source === "transcript")
    ? agent.transcript
    : agent.stream;

const foldOf = ({ entries }: LogPage): RecordFold => {
  const fold = new RecordFold();
  for (const entry of entries) if (entry.type === "item") fold.add(entry.item);
  return fold;
};

const checkRow = (run: RunRow, agent: RealAgent, { responses }: Played, log: LogPage): void => {
  const { input, output, cacheRead, cacheWrite5m } = addTokens(responses.map(({ usage }) => usage));
  const calls = responses.flatMap((response) => response.calls);
  const cost = costOf(agent, responses);
  assert.equal(run.outcome, "success", run.reason);
  assert.equal(run.exitCode, 0);
  assert.equal(run.agent, agent.name);
  assert.equal(run.toolCalls, calls.length);
  assert.equal(run.toolErrors, calls.filter(({ ends }) => ends.outcome === "error").length);
  assert.deepEqual(
    { ...run.tokens, cacheWrite: run.tokens.cacheWrite ?? 0 },
    { input, output, cacheRead, cacheWrite: cacheWrite5m ?? 0 },
  );
  assert.equal(run.costNanoUsd, cost);
  assert.equal(run.costSource, cost === undefined ? "unknown" : "recorded");
  assert.equal(run.traceMissing, false);
  assert.deepEqual(run.sessions, [{ id: foldOf(log).sessions[0]?.sessionId, agent: agent.name }]);
};
