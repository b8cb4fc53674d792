import type { ToolOutcome } from "../message.ts";
import type { ModelInfo } from "../model.ts";
import { auditRecords, requestRecords, responseRecords } from "../record/entries.ts";
import type { ProviderRequestRecord, ProviderResponseRecord, ToolAuditRecord } from "../record/types.ts";
import type { SessionEntry, ThinkingLevel } from "../session/entry.ts";
import type { ToolResult } from "../tools/tool.ts";

/** A request and what came of it. */
export interface RecordedExchange {
  request: ProviderRequestRecord;
  /** Absent when the session ended before it came. */
  response?: ProviderResponseRecord;
  /** What the user said between this request and the next, while the agent worked. */
  heardAfter: string[];
}

/** What a user did, in order. */
export type Step =
  | { do: "prompt"; text: string }
  | { do: "compact" }
  | { do: "model"; model?: ModelInfo; provider: string; modelId: string }
  | { do: "think"; level: ThinkingLevel };

/** A branch of a session, read as what was done and what came back. */
export interface SessionScript {
  steps: Step[];
  exchanges: RecordedExchange[];
  results: ReadonlyMap<string, { result: ToolResult; outcome: ToolOutcome }>;
  audits: ReadonlyMap<string, ToolAuditRecord>;
}

const textOf = (content: readonly { type: string; text?: string }[]): string =>
  content.map(({ text = "" }) => text).join("");

/** What a tool call gave, as the session keeps it. */
const resultOf = (
  entry: SessionEntry,
): [string, { result: ToolResult; outcome: ToolOutcome }] | undefined => {
  if (entry.type !== "message" || entry.message.role !== "toolResult") return undefined;
  const { toolCallId, content, details, errorCode, exitCode, outcome } = entry.message;
  return [
    toolCallId,
    {
      outcome,
      result: {
        content,
        ...(details === undefined ? {} : { details }),
        ...(errorCode === undefined ? {} : { errorCode }),
        ...(exitCode === undefined ? {} : { exitCode }),
      },
    },
  ];
};

/** Reads a branch, root first, with its bodies. */
export const readScript = (branch: readonly SessionEntry[]): SessionScript => {
  const responses = new Map(responseRecords(branch).map((record) => [record.requestId, record]));
  const steps: Step[] = [];
  const exchanges: RecordedExchange[] = [];
  let working = false;
  for (const entry of branch) {
    const [request] = requestRecords([entry]);
    if (request !== undefined) {
      const response = responses.get(request.requestId);
      exchanges.push({ request, ...(response === undefined ? {} : { response }), heardAfter: [] });
      // A summary that nobody was working at was asked for.
      if (request.purpose === "compaction" && !working) steps.push({ do: "compact" });
    } else if (entry.type === "model_change") {
      const { provider, modelId, model } = entry;
      steps.push({ do: "model", provider, modelId, ...(model === undefined ? {} : { model }) });
    } else if (entry.type === "thinking_level_change") {
      steps.push({ do: "think", level: entry.thinkingLevel });
    } else if (entry.type === "result") {
      working = false;
    } else if (entry.type === "message" && entry.message.role === "user") {
      const text = textOf(entry.message.content);
      if (working) exchanges.at(-1)?.heardAfter.push(text);
      else steps.push({ do: "prompt", text });
      working = true;
    }
  }
  return {
    steps,
    exchanges,
    results: new Map(branch.map(resultOf).filter((result) => result !== undefined)),
    audits: new Map(auditRecords(branch).map((record) => [record.toolCallId, record])),
  };
};
