import type { AssistantMessage, JsonValue, Message } from "../message.ts";
import { createExchange, type Exchange } from "../provider/exchange.ts";
import type { ModelEvent, ToolDeclaration } from "../provider/types.ts";
import { toProviderError } from "../record/classify.ts";
import type { ProviderError, ProviderRequestRecord } from "../record/types.ts";
import type { RequestRef } from "../result.ts";
import type { AgentWorld } from "./world.ts";

/** What the model is asked. */
export interface Question {
  systemPrompt: string;
  messages: readonly Message[];
  tools: readonly ToolDeclaration[];
  purpose?: ProviderRequestRecord["purpose"];
}

/** What it said, before anything of it is kept. */
export interface Reply {
  message: AssistantMessage;
  /** Set when it failed or was aborted. */
  error?: ProviderError;
  /** The last request that left for it; absent when none did. */
  request?: RequestRef;
  /** HTTP requests that left. */
  requests: number;
  retryAfterMs?: number;
  /** Records what became of the request; called when the message is kept. */
  settle(): Promise<void>;
}

export type Delta = Extract<ModelEvent, { type: "delta" }>;

/** An assistant message without content, of the session's model. */
export const emptyMessage = ({ provider }: AgentWorld): AssistantMessage => ({
  role: "assistant",
  content: [],
  api: provider.model.api,
  provider: provider.model.provider,
  model: provider.model.id,
  stopReason: "error",
  timestamp: 0,
});

/** Why a signal was given. */
export const reasonOf = (signal: AbortSignal): string =>
  signal.reason instanceof Error ? signal.reason.message : String(signal.reason);

/** `before_provider_request`: a handler that fails keeps the request from being sent. */
const runPayloadHooks = async (
  world: AgentWorld,
  exchange: Exchange,
  payload: JsonValue,
): Promise<JsonValue> => {
  const event = { payload };
  try {
    await world.extensions.emit("before_provider_request", event, (answer) => {
      if (answer !== undefined) event.payload = answer.payload;
    });
  } catch (error) {
    exchange.refuse(error);
    throw error;
  }
  return event.payload;
};

const openStream = (
  world: AgentWorld,
  { systemPrompt, messages, tools }: Question,
  exchange: Exchange,
  signal: AbortSignal,
): AsyncIterable<ModelEvent> =>
  world.provider.stream({
    systemPrompt,
    messages,
    tools,
    thinkingLevel: world.thinkingLevel,
    signal,
    transport: exchange.transport,
    onPayload: (payload) => runPayloadHooks(world, exchange, payload),
    onResponse: (response) => world.extensions.tell("after_provider_response", response),
  });

/** Passes the stream on; returns the message it ended in. */
const follow = async (
  world: AgentWorld,
  stream: AsyncIterable<ModelEvent>,
  heard: (delta: Delta) => void,
): Promise<AssistantMessage> => {
  let ended: AssistantMessage | undefined;
  try {
    for await (const event of stream) {
      if (event.type === "delta") heard(event);
      else if (event.type === "end") ended = event.message;
    }
  } catch (error) {
    return { ...emptyMessage(world), errorMessage: error instanceof Error ? error.message : String(error) };
  }
  return ended ?? { ...emptyMessage(world), errorMessage: "the model's stream ended without a message" };
};

/** What went wrong, masked: a provider may quote the key that it was shown. */
const failureOf = (
  { mask }: AgentWorld,
  message: AssistantMessage,
  exchange: Exchange,
  signal: AbortSignal,
): ProviderError | undefined => {
  if (message.stopReason !== "error" && message.stopReason !== "aborted") return undefined;
  const failure = exchange.failure(message.errorMessage ?? "the request failed", signal.aborted);
  const error = toProviderError(signal.aborted ? { ...failure, message: reasonOf(signal) } : failure);
  return { ...error, message: mask(error.message) };
};

const settleRecord = async (
  world: AgentWorld,
  { last }: Exchange,
  message: AssistantMessage,
  error: ProviderError | undefined,
): Promise<void> => {
  if (last === undefined) return;
  const { dispatch, ...outcome } = last;
  await world.recorder.settle(dispatch, {
    ...outcome,
    finishReason: message.stopReason,
    ...(message.usage === undefined ? {} : { usage: message.usage }),
    ...(error === undefined ? {} : { error }),
  });
};

/** Asks the model once. The request is on record before it leaves; what came back is the caller's to keep. */
export const putQuestion = async (
  world: AgentWorld,
  question: Question,
  signal: AbortSignal,
  heard: (delta: Delta) => void,
): Promise<Reply> => {
  const { clock } = world.capabilities;
  const { purpose } = question;
  const exchange = createExchange({
    network: world.network,
    recorder: world.recorder,
    model: world.provider.model,
    clock,
    idleTimeoutMs: world.settings.idleTimeoutMs,
    ...(purpose === undefined ? {} : { purpose }),
  });
  const timestamp = clock.now();
  const startedAt = clock.monotonicNow();
  const message = await follow(world, openStream(world, question, exchange, signal), heard);
  message.timestamp = timestamp;
  message.durationMs = clock.monotonicNow() - startedAt;
  const error = failureOf(world, message, exchange, signal);
  if (error !== undefined) {
    message.stopReason = error.kind === "aborted" ? "aborted" : "error";
    message.errorMessage = error.message;
  }
  const { last, dispatched, retryAfterMs } = exchange;
  return {
    message,
    requests: dispatched,
    ...(error === undefined ? {} : { error }),
    ...(last === undefined ? {} : { request: { id: last.dispatch.requestId, sha256: last.dispatch.sha256 } }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    settle: () => settleRecord(world, exchange, message, error),
  };
};
