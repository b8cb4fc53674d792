import { relative } from "node:path";
import type { SessionRecord } from "@orphus/agent-trace";
import type { ToolCallItem } from "@orphus/agent-trace/item";
import type { RealAgent, SourceFacts } from "../agents/real-agent.ts";
import type { Played, PlayedCall, PlayedResponse } from "../model/played.ts";
import type { Ending } from "../model/script.ts";
import type { Differences } from "./checker.ts";
import { digestOf } from "./digest.ts";
import { usageByResponse } from "./usage.ts";

export interface CallContext {
  agent: RealAgent;
  facts: SourceFacts;
  played: Played;
  work: string;
}

/** Every call that a session's responses asked for, against the calls of its record. */
export const checkCalls = (
  differences: Differences,
  record: SessionRecord,
  responses: readonly PlayedResponse[],
  context: CallContext,
): void => {
  const { calls: how, interruptedCall } = context.facts;
  const recorded = [...record.calls.values()].toSorted((a, b) => a.seq - b.seq);
  const asked = responses
    .flatMap((response) => response.calls.map((call) => ({ call, response })))
    .filter(({ call }) => call.ends.outcome !== "interrupted" || interruptedCall !== "racing");
  const calls =
    interruptedCall === "racing" ? recorded.filter(({ outcome }) => outcome !== "unanswered") : recorded;
  if (how === "renamed") return checkRenamed(differences, calls, asked, context);
  const ordered = (ids: string[]): string[] => (how === "as-ended" ? ids.toSorted() : ids);
  differences.equal("calls", ordered(asked.map(({ call }) => call.id)), ordered(calls.map(({ key }) => key)));
  const usages = usageByResponse(record, responses, context.agent);
  for (const { call, response } of asked) {
    const item = record.calls.get(call.id);
    if (item !== undefined)
      checkCall(differences, item, call, response, usages.get(response.id)?.key, context);
  }
};

const checkCall = (
  differences: Differences,
  item: ToolCallItem,
  call: PlayedCall,
  response: PlayedResponse,
  messageId: string | undefined,
  { agent, facts, played, work }: CallContext,
): void => {
  const name = `${call.tool} ${call.id}`;
  differences.equal(`${name}: tool`, call.tool, item.tool);
  differences.equal(`${name}: arguments`, digestOf(call.arguments), item.inputDigest);
  differences.equal(`${name}: action`, call.does, item.action);
  const path = pathOf(call, work);
  differences.equal(
    `${name}: files`,
    path,
    item.targets.map((target) => target.path),
  );
  differences.equal(`${name}: files elsewhere`, [], item.outside);
  differences.equal(`${name}: outcome`, outcomeOf(call.ends, facts), item.outcome);
  differences.equalIfSaid(`${name}: exit code`, call.ends.exitCode ?? 0, item.exitCode);
  if (call.ends.errorKind !== undefined)
    differences.equal(`${name}: kind of error`, call.ends.errorKind, item.errorKind);
  // One that the record does not have is told of with the tokens.
  if (messageId !== undefined) differences.equalIfSaid(`${name}: response`, messageId, item.messageId);
  if (facts.model) differences.equal(`${name}: model`, response.model, item.model);
  const result = played.results.get(call.id)?.replaceAll(agent.addsToResults ?? "", "");
  if (result !== undefined)
    differences.equal(`${name}: bytes of the result`, Buffer.byteLength(result), item.resultBytes);
};

/** The agent's stream has other names for calls, and its own order: what each did must be there all the same. */
const checkRenamed = (
  differences: Differences,
  calls: readonly ToolCallItem[],
  asked: readonly { call: PlayedCall }[],
  { facts, work }: CallContext,
): void => {
  differences.equal(
    "what the calls did",
    asked.map(({ call }) => sign(call.does, outcomeOf(call.ends, facts), pathOf(call, work))).toSorted(),
    calls
      .map(({ action, outcome, targets }) =>
        sign(
          action,
          outcome,
          targets.map((target) => target.path),
        ),
      )
      .toSorted(),
  );
};

const sign = (action: string, outcome: string, paths: readonly string[]): string =>
  [action, outcome, ...paths].join(" ");

const pathOf = ({ path }: PlayedCall, work: string): string[] =>
  path === undefined ? [] : [relative(work, path)];

const outcomeOf = ({ outcome }: Ending, { interruptedCall }: SourceFacts): string =>
  outcome !== "interrupted" ? outcome : interruptedCall === "error" ? "error" : "unanswered";
