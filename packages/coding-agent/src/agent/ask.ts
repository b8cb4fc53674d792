import type { AssistantMessage } from "../message.ts";
import type { ProviderError } from "../record/types.ts";
import { modelContext } from "../session/context.ts";
import { emptyMessage, putQuestion, reasonOf } from "./question.ts";
import { type AgentWorld, keepMessage } from "./world.ts";

/** One response of the model, kept. */
export interface Answer {
  message: AssistantMessage;
  entryId: string;
  /** HTTP requests that left for it. */
  requests: number;
  /** Set when it failed or was aborted. */
  error?: ProviderError;
  /** How long the provider asked to wait. */
  retryAfterMs?: number;
}

/** Asks the model to go on with the conversation. Message and records are on disk when this returns. */
export const ask = async (world: AgentWorld, signal: AbortSignal): Promise<Answer> => {
  world.emit({ type: "message_start", role: "assistant" });
  const question = {
    systemPrompt: world.systemPrompt(),
    messages: modelContext(world.log.branch()),
    tools: [...world.tools().values()],
  };
  const reply = await putQuestion(world, question, signal, ({ contentIndex, kind, delta }) =>
    world.emit({ type: "message_update", contentIndex, kind, delta }),
  );
  const { message, requests, error, retryAfterMs } = reply;
  const entryId = await keepMessage(world, message, reply.request);
  await reply.settle();
  return {
    message,
    entryId,
    requests,
    ...(error === undefined ? {} : { error }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
};

/** Keeps an aborted message where the run was ended between two requests. */
export const keepAborted = async (world: AgentWorld, signal: AbortSignal): Promise<Answer> => {
  const error: ProviderError = { kind: "aborted", message: reasonOf(signal) };
  const message: AssistantMessage = {
    ...emptyMessage(world),
    stopReason: "aborted",
    errorMessage: error.message,
    timestamp: world.capabilities.clock.now(),
  };
  world.emit({ type: "message_start", role: "assistant" });
  return { message, entryId: await keepMessage(world, message), requests: 0, error };
};
