import { count, type JsonObject } from "../../jsonline.ts";
import type { SessionItems } from "../../items.ts";
import { nanoUsd } from "../../money.ts";
import { present } from "../../present.ts";
import type { ReadSink } from "../../reader.ts";
import type { ClaudeConversation } from "./conversation.ts";
import { tokensOfModels } from "./usage.ts";

/**
 * A transcript has no result line. 2.1.332 leaves the session's own totals behind when it ends: a claim over the whole
 * session with its sub-agents. The line has no id and no outcome; the turn failed when its last words were a failed
 * model request.
 */
export const readCostState = (
  conversation: ClaudeConversation,
  session: SessionItems,
  record: JsonObject,
  sink: ReadSink,
): void => {
  const claim = present({
    costNanoUsd: nanoUsd(record["totalCostUSD"]),
    usage: tokensOfModels(record["modelUsage"]),
  });
  const number = conversation.nextResult();
  sink.item({
    ...session.head("result", `cost-state:${number}`, conversation.items.nextSeq()),
    type: "result",
    subtype: "cost-state",
    isError: conversation.failed,
    ...present({ durationMs: count(record["totalDuration"]) }),
    claims: [{ ...claim, since: "session", subagents: "in" }],
  });
};
