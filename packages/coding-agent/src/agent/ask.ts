import type { AssistantMessage, JsonValue } from "../message.ts";
import { createExchange, type Exchange } from "../provider/exchange.ts";
import type { ModelEvent } from "../provider/types.ts";
import { toProviderError } from "../record/classify.ts";
import type { ProviderError } from "../record/types.ts";
import { modelContext } from "../session/context.ts";
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

const emptyMessage = ({ provider }: AgentWorld): AssistantMessage => ({
  role: "assistant",
  content: [],
  api: provider.model.api,
  provider: provider.model.provider,
  model: provider.model.id,
  stopReason: "error",
  timestamp: 0,
});

const reasonOf = (signal: AbortSignal): string =>
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

const openStream = (world: AgentWorld, exchange: Exchange, signal: AbortSignal): AsyncIterable<ModelEvent> =>
  world.provider.stream({
    systemPrompt: world.systemPrompt,
    messages: modelContext(world.log.branch()),
    tools: [...world.tools().values()],
    thinkingLevel: world.thinkingLevel,
    signal,
    transport: exchange.transport,
    onPayload: (payload) => runPayloadHooks(world, exchange, payload),
    onResponse: (response) => world.extensions.tell("after_provider_response", response),
  });

/** Passes the stream on as events; returns the message it ended in. */
const follow = async (world: AgentWorld, stream: AsyncIterable<ModelEvent>): Promise<AssistantMessage> => {
  let ended: AssistantMessage | undefined;
  try {
    for await (const event of stream) {
      if (event.type === "delta") {
        const { contentIndex, kind, delta } = event;
        world.emit({ type: "message_update", contentIndex, kind, delta });
      } else if (event.type === "end") ended = event.message;
    }
  } catch (error) {
    return { ...emptyMessage(world), errorMessage: error instanceof Error ? error.message : String(error) };
  }
  return ended ?? { ...emptyMessage(world), errorMessage: "the model's stream ended without a message" };
};

/** What went wrong, masked: a provider may quote the key it was shown. */
const settle = (
  { mask }: AgentWorld,
  message: AssistantMessage,
  exchange: Exchange,
  signal: AbortSignal,
): ProviderError | undefined => {
  if (message.stopReason !== "error" && message.stopReason !== "aborted") return undefined;
  const failure = exchange.failure(message.errorMessage ?? "the request failed", signal.aborted);
  const known = toProviderError(signal.aborted ? { ...failure, message: reasonOf(signal) } : failure);
  const error = { ...known, message: mask(known.message) };
  message.stopReason = error.kind === "aborted" ? "aborted" : "error";
  message.errorMessage = error.message;
  return error;
};

/** Asks the model once. Message and records are on disk when this returns. */
export const ask = async (world: AgentWorld, signal: AbortSignal): Promise<Answer> => {
  const { clock } = world.capabilities;
  const exchange = createExchange({
    network: world.network,
    recorder: world.recorder,
    model: world.provider.model,
    clock,
    idleTimeoutMs: world.settings.idleTimeoutMs,
  });
  const timestamp = clock.now();
  const startedAt = clock.monotonicNow();
  world.emit({ type: "message_start", role: "assistant" });
  const message = await follow(world, openStream(world, exchange, signal));
  message.timestamp = timestamp;
  message.durationMs = clock.monotonicNow() - startedAt;
  const error = settle(world, message, exchange, signal);

  const { last, dispatched, retryAfterMs } = exchange;
  const request =
    last === undefined ? undefined : { id: last.dispatch.requestId, sha256: last.dispatch.sha256 };
  const entryId = await keepMessage(world, message, request);
  if (last !== undefined)
    await world.recorder.settle(last.dispatch, {
      ...(last.status === undefined ? {} : { status: last.status }),
      ...(last.stream === undefined ? {} : { stream: last.stream }),
      finishReason: message.stopReason,
      ...(message.usage === undefined ? {} : { usage: message.usage }),
      ...(error === undefined ? {} : { error }),
    });
  return {
    message,
    entryId,
    requests: dispatched,
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
