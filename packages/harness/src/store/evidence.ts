import type { ErrorClass, ErrorKind, MarkItem, ResultItem } from "@orphus/agent-trace/item";
import type { Database, Value } from "./database.ts";
import { integer, json } from "./row.ts";
import type { RunRef } from "./run-record.ts";

/** What a run's items say about how it went. */
export interface Evidence {
  /** Nothing announced a session. */
  traceMissing: boolean;
  /** The last result of the main session. */
  result?: Pick<ResultItem, "isError" | "errorClass" | "errorKind">;
  /** The agent says that it was interrupted. */
  interrupted: boolean;
  /** Calls without a result. */
  unanswered: number;
  /** Sub-agents that began and did not end. */
  openSubagents: number;
  /** The last mark with an error class. */
  lastError?: { errorClass: ErrorClass; errorKind?: ErrorKind };
}

const OF_RUN = "FROM event e JOIN session s ON s.id = e.session WHERE s.harness = ? AND s.run_id = ?";
const MAIN = "AND s.body ->> '$.parentSessionId' IS NULL";
const LATEST = "ORDER BY e.change DESC LIMIT 1";

export const runEvidence = (database: Database, { harness, runId }: RunRef): Evidence => {
  const count = (sql: string, ...values: Value[]): number =>
    integer(database.get(`SELECT count(*) AS n ${sql}`, harness, runId, ...values) ?? {}, "n");
  const marks = (kind: MarkItem["kind"]): number =>
    count(`${OF_RUN} AND e.type = 'mark' AND e.body ->> '$.kind' = ?`, kind);
  const result = database.get(
    `SELECT e.body ${OF_RUN} AND e.type = 'result' ${MAIN} ${LATEST}`,
    harness,
    runId,
  );
  const error = database.get(
    `SELECT e.body ${OF_RUN} AND e.type = 'mark' AND e.body ->> '$.errorClass' IS NOT NULL ${LATEST}`,
    harness,
    runId,
  );
  return {
    traceMissing: count("FROM session WHERE harness = ? AND run_id = ?") === 0,
    ...(result === undefined ? {} : { result: json<ResultItem>(result, "body") }),
    interrupted: marks("interrupted") > 0,
    unanswered: count(`${OF_RUN} AND e.type = 'tool_call' AND e.body ->> '$.outcome' = 'unanswered'`),
    openSubagents: Math.max(0, marks("subagent_start") - marks("subagent_end")),
    ...(error === undefined
      ? {}
      : { lastError: json<Required<Pick<MarkItem, "errorClass">>>(error, "body") }),
  };
};
