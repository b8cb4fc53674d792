import assert from "node:assert/strict";
import test from "node:test";
import type { SessionRecord } from "@orphus/agent-trace";
import type { RealAgent } from "./agents/real-agent.ts";
import { differencesOf } from "./check/record.ts";
import { readStream, readTranscripts } from "./check/sources.ts";
import { installedModules, installsHere } from "./install.ts";
import type { Script } from "./model/script.ts";
import { runAgent } from "./run.ts";
import { scenarios } from "./scenarios.ts";

/**
 * Puts a real agent through every scenario, and compares what its stream and its transcripts say with the script that
 * the model server played. One test a scenario; all are skipped where the agent is not installed.
 */
export const testAgent = (agent: RealAgent): void => {
  const modules = installedModules(installsHere(), agent);
  const version = agent.packages[0].version;
  for (const scenario of scenarios) {
    const makeScript = (work: string): Script | undefined => scenario.script(agent, work);
    if (makeScript("/") === undefined) continue;
    const name = `${agent.name} ${version}: ${scenario.name}`;
    test(name, { skip: modules === undefined && "it is not installed" }, async (t) => {
      assert.ok(modules);
      const run = await runAgent(t, agent, modules, scenario);
      const { script, played, place } = run;
      const of = (sessions: readonly SessionRecord[], facts: RealAgent["stream"]) =>
        differencesOf({ agent, facts, scenario, script, played, work: place.work, sessions });
      const stream = readStream(agent, place, run.stdout);
      const transcripts = readTranscripts(agent, place);
      const context = `exit ${run.code ?? run.signal}; stderr: ${run.stderr.slice(-2000)}`;
      t.diagnostic(context);
      assert.deepEqual(
        { stream: of(stream, agent.stream), transcripts: of(transcripts, agent.transcript) },
        noneFound,
      );
      assert.equal(mainId(stream), mainId(transcripts));
      for (const session of transcripts) assert.equal(session.session?.agentVersion ?? version, version);
    });
  }
};

const noneFound = { stream: [], transcripts: [] };

const mainId = (sessions: readonly SessionRecord[]): string | undefined =>
  sessions.find(({ session }) => session?.parentSessionId === undefined)?.sessionId;
