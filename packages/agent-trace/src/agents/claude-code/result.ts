import { cutBytes, plainText, RESULT_TEXT_BYTES } from "../../bounded-text.ts";
import { classifyError } from "../../classify/index.ts";
import type { Claim, ResultItem } from "../../item.ts";
import { boolean, count, object, string, strings, text, type JsonObject } from "../../jsonline.ts";
import { nanoUsd } from "../../money.ts";
import { present } from "../../present.ts";
import type { ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import type { ClaudeConversation } from "./conversation.ts";
import { tokensOf, tokensOfModels } from "./usage.ts";

/**
 * The end of a turn in Claude Code's own accounting. A `success` may be an error all the same (`is_error`). A stream may
 * have several results; the n-th belongs to the n-th turn, also when it comes after the next turn has begun.
 */
export const readResult = (conversation: ClaudeConversation, record: JsonObject, sink: ReadSink): void => {
  const session = conversation.sessionOf(record);
  if (session === undefined) return;
  conversation.turnOpen = true;
  const turn = conversation.nextResult();
  const at = timestamp(record["timestamp"]);
  const usage = tokensOf(record["usage"]);
  const [model, ...others] = Object.keys(object(record["modelUsage"]) ?? {});
  // Which of several models a turn's tokens went to is not told.
  const only = others.length === 0 ? model : undefined;
  if (usage !== undefined)
    conversation.responses.turn(session, turn, usage, present({ at, model: only }), sink);
  const said = text(record["result"]) ?? strings(record["errors"])?.join("\n") ?? "";
  const isError = boolean(record["is_error"]) ?? false;
  const head = session.head("result", text(record["uuid"]) ?? `${turn}`, conversation.items.nextSeq(), at);
  const result: ResultItem = {
    ...head,
    turn,
    type: "result",
    isError,
    claims: claimsOf(record),
    ...present({
      subtype: text(record["subtype"]),
      turns: count(record["num_turns"]),
      durationMs: count(record["duration_ms"]),
      text: said === "" ? undefined : cutBytes(plainText(said), RESULT_TEXT_BYTES),
    }),
    ...(isError ? verdictOf(conversation, record, said) : {}),
  };
  sink.item(result);
  session.flush(sink);
};

const verdictOf = (
  { interrupted }: ClaudeConversation,
  record: JsonObject,
  said: string,
): Pick<ResultItem, "errorClass" | "errorKind"> => {
  // What it says then is about itself.
  if (interrupted) return { errorClass: "other", errorKind: "interrupted" };
  const { errorClass, errorKind } = classifyError(said, {
    about: "model",
    status: count(record["api_error_status"]),
    code: string(record["api_error_type"]) ?? string(record["subtype"]),
  });
  return { errorClass, errorKind };
};

/** `usage` is the main agent's of this turn; `modelUsage` and the cost are the whole session's with its sub-agents. */
const claimsOf = (record: JsonObject): Claim[] => {
  const costNanoUsd = nanoUsd(record["total_cost_usd"]);
  const usage = tokensOf(record["usage"]);
  const whole = tokensOfModels(record["modelUsage"]);
  return [
    ...(costNanoUsd === undefined && whole === undefined
      ? []
      : [{ ...present({ costNanoUsd, usage: whole }), since: "session" as const, subagents: "in" as const }]),
    ...(usage === undefined ? [] : [{ usage, since: "turn" as const, subagents: "out" as const }]),
  ];
};
