import type { SessionRecord } from "@orphus/agent-trace";
import type { MarkItem, ResultItem } from "@orphus/agent-trace/item";
import type { RealAgent, SourceFacts } from "../agents/real-agent.ts";
import type { Played, PlayedResponse } from "../model/played.ts";
import type { End } from "../scenario.ts";
import type { Differences } from "./checker.ts";

/** How a session ended by its record, what went wrong on the way, and that nothing in it was unknown. */
export const checkEnding = (
  differences: Differences,
  record: SessionRecord,
  played: Played,
  end: End,
  agent: RealAgent,
  facts: SourceFacts,
): void => {
  const marks = [...record.marks.values()];
  const last = [...record.results.values()].toSorted((a, b) => a.seq - b.seq).at(-1);
  if (end === "answered") checkAnswered(differences, last, played, agent, facts);
  if (end === "refused") checkRefused(differences, last, marks, played);
  if (end === "interrupted")
    differences.equal("interruptions", facts.interruption ? 1 : 0, count(marks, "interrupted"));
  if (end !== "refused") {
    const retried = played.failures
      .map(({ status }) => status)
      .filter((status) => facts.retries.includes(status));
    differences.equal("requests tried again", retried.length, count(marks, "api_retry"));
    for (const mark of marks)
      if (mark.kind === "api_retry") differences.equalIfSaid("status of a retry", retried[0], mark.status);
  }
  for (const kind of ["novelty", "source_fault", "ambiguous", "permission_denied"] as const) {
    const notes = marks
      .filter((mark) => mark.kind === kind)
      .map(({ note, novelty }) => novelty?.name ?? note);
    differences.equal(kind, [], notes);
  }
};

const checkAnswered = (
  differences: Differences,
  last: ResultItem | undefined,
  { responses }: Played,
  agent: RealAgent,
  { answer }: SourceFacts,
): void => {
  differences.equal("the result is an error", false, last?.isError);
  const said = responses.findLast(({ lane }) => lane === "main")?.text;
  if (answer) differences.equal("the result's text", said, last?.text);
  const total = costOf(agent, responses);
  for (const { costNanoUsd } of last?.claims ?? []) differences.equalIfSaid("total cost", total, costNanoUsd);
};

/** What the agent must say all responses cost, in nano-dollars; undefined when it says nothing of costs. */
export const costOf = (
  { costOf: ofOne, totalCostOf = ofOne }: RealAgent,
  responses: readonly PlayedResponse[],
): number | undefined =>
  totalCostOf === undefined ? undefined : responses.reduce((sum, { usage }) => sum + totalCostOf(usage), 0);

const checkRefused = (
  differences: Differences,
  last: ResultItem | undefined,
  marks: readonly MarkItem[],
  { failures }: Played,
): void => {
  differences.equal("the result is an error", true, last?.isError);
  const errors = marks.filter(({ kind }) => kind === "api_error");
  differences.equal("model errors", 1, errors.length);
  differences.equal("class of the error", "auth", errors[0]?.errorClass);
  differences.equalIfSaid("status of the error", failures[0]?.status, errors[0]?.status);
};

const count = (marks: readonly MarkItem[], kind: MarkItem["kind"]): number =>
  marks.filter((mark) => mark.kind === kind).reduce((sum, mark) => sum + (mark.count ?? 1), 0);
