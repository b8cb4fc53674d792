import { addTokens, billed, type SessionRecord } from "@orphus/agent-trace";
import type { TokenCounts, UsageItem } from "@orphus/agent-trace/item";
import type { RealAgent, SourceFacts } from "../agents/real-agent.ts";
import type { PlayedResponse } from "../model/played.ts";
import type { Differences } from "./checker.ts";

const kinds = ["input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h", "reasoning"] as const;

/** The tokens of every response of a session, their sum, and what they cost, against its record. */
export const checkUsage = (
  differences: Differences,
  record: SessionRecord,
  responses: readonly PlayedResponse[],
  agent: RealAgent,
  facts: SourceFacts,
): void => {
  const usages = [...record.usages.values()];
  if (facts.tokens !== "turn") {
    const byId = usageByResponse(record, responses, agent);
    differences.equal("responses", responses.length, usages.filter(isResponse).length);
    for (const response of responses) {
      const usage = byId.get(response.id);
      if (usage === undefined) differences.equal("a response", response.id, undefined);
      else checkResponse(differences, usage, response, agent, facts);
    }
  }
  checkTokens(
    differences,
    "all responses",
    addTokens(responses.map(({ usage }) => usage)),
    addTokens(billed(usages)),
  );
};

/** The usage of each response, by the id that the model server gave it. */
export const usageByResponse = (
  record: SessionRecord,
  responses: readonly PlayedResponse[],
  { responseIds }: RealAgent,
): Map<string, UsageItem> => {
  const usages = [...record.usages.values()].filter(isResponse).toSorted((a, b) => a.seq - b.seq);
  return new Map(
    usages.map((usage, index) => [
      responseIds === "its-own" ? (responses[index]?.id ?? "") : usage.key.replace(/@\d+$/, ""),
      usage,
    ]),
  );
};

const isResponse = ({ covers }: UsageItem): boolean => covers === "response";

const checkResponse = (
  differences: Differences,
  usage: UsageItem,
  { id, model, usage: told }: PlayedResponse,
  { costOf }: RealAgent,
  facts: SourceFacts,
): void => {
  if (facts.model) differences.equal(`${id}: model`, model, usage.model);
  differences.equal(`${id}: exact`, facts.tokens === "response", usage.exact);
  if (usage.exact) checkTokens(differences, id, told, usage);
  differences.equal(`${id}: cost source`, costOf === undefined ? "unknown" : "recorded", usage.costSource);
  differences.equal(`${id}: cost`, costOf?.(told), usage.costNanoUsd);
};

/** None of a kind may be written as none or be left out; anything else must be equal. */
const checkTokens = (
  differences: Differences,
  what: string,
  told: TokenCounts,
  recorded: TokenCounts,
): void => {
  for (const kind of kinds)
    differences.equal(`${what}: ${kind} tokens`, told[kind] ?? 0, recorded[kind] ?? 0);
};
