import type { SessionRecord } from "@orphus/agent-trace";
import type { RealAgent, SourceFacts } from "../agents/real-agent.ts";
import type { Played, PlayedResponse } from "../model/played.ts";
import type { Script } from "../model/script.ts";
import { modelOf, type Scenario } from "../scenario.ts";
import { checkCalls } from "./calls.ts";
import { Differences } from "./checker.ts";
import { checkEnding } from "./ending.ts";
import { checkUsage } from "./usage.ts";

/** A run as it was, beside what was recorded of it. */
export interface Recorded {
  agent: RealAgent;
  facts: SourceFacts;
  scenario: Scenario;
  script: Script;
  played: Played;
  work: string;
  sessions: readonly SessionRecord[];
}

/** What a record says differently from the script that the model server played. */
export const differencesOf = (recorded: Recorded): Differences["found"] => {
  const { agent, facts, scenario, script, played, work, sessions } = recorded;
  const differences = new Differences();
  checkPlayed(differences, script, played, scenario);
  const main = sessions.filter(({ session }) => session?.parentSessionId === undefined);
  const helpers = sessions.filter(({ session }) => session?.parentSessionId !== undefined);
  differences.equal("main sessions", 1, main.length);
  const wanted = script.helper === undefined || facts.helper === "nothing" ? 0 : 1;
  differences.equal("sub-agents' sessions", wanted, helpers.length);
  const lanes = { main: main[0], helper: helpers[0] };
  for (const lane of ["main", "helper"] as const) {
    const record = lanes[lane];
    if (record === undefined) continue;
    const responses = played.responses.filter((response) => response.lane === lane);
    differences.equal(`${lane}: agent`, agent.name, record.agent);
    checkCalls(differences, record, responses, { agent, facts, played, work });
    const models = record.session?.models?.map(({ model }) => model);
    const model = modelOf(scenario, agent);
    // Of a request that was refused some agents name the model, some do not.
    if (responses.length > 0) differences.equal(`${lane}: models`, facts.model ? [model] : undefined, models);
    else differences.equalIfSaid(`${lane}: models`, [model], models);
    const counted = responses.filter((response) => isCounted(response, responses, facts));
    if (lane === "main" || facts.helper === "whole") checkUsage(differences, record, counted, agent, facts);
  }
  if (lanes.main !== undefined) {
    checkEnding(differences, lanes.main, played, scenario.end, agent, facts);
    differences.equalIfSaid("working folder", work, lanes.main.session?.cwd);
    checkLink(differences, lanes.main, lanes.helper, played);
  }
  return differences.found;
};

/** An interrupted response may have no tokens yet; where tokens are told by the turn, none of its turn has. */
const isCounted = (
  response: PlayedResponse,
  responses: readonly PlayedResponse[],
  { tokens, interruptedTokens }: SourceFacts,
): boolean => {
  const lost = tokens === "turn" ? responses : [response];
  return (
    interruptedTokens || !lost.some(({ calls }) => calls.some(({ ends }) => ends.outcome === "interrupted"))
  );
};

/** The script was played to its end, each answer once: else the record would be checked against less. */
const checkPlayed = (
  differences: Differences,
  script: Script,
  { responses }: Played,
  { end }: Scenario,
): void => {
  const lanes = { main: script.main, helper: script.helper?.answers ?? [] };
  for (const lane of ["main", "helper"] as const) {
    const places = responses.filter((response) => response.lane === lane).map(({ place }) => place);
    differences.equal(
      `${lane}: answers that the server played`,
      end === "refused" ? [] : lanes[lane].map((_, place) => place),
      places.toSorted((a, b) => a - b),
    );
  }
};

/** A sub-agent's session names its parent, and the call that started it names the session. */
const checkLink = (
  differences: Differences,
  main: SessionRecord,
  helper: SessionRecord | undefined,
  { responses }: Played,
): void => {
  if (helper === undefined) return;
  const starter = responses.find(({ lane }) => lane === "main")?.calls[0]?.id ?? "";
  differences.equal("the sub-agent's parent", main.sessionId, helper.session?.parentSessionId);
  differences.equal("the call's sub-agent", helper.sessionId, main.calls.get(starter)?.childSessionId);
};
