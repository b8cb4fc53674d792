import type { AssistantMessageEvent, Models, Model, Api, Tool } from "@earendil-works/pi-ai";
import type { JsonValue } from "../message.ts";
import { fromPiMessage, toPiMessage } from "./convert.ts";
import type { ModelEvent, ModelInfo, ModelProvider, ModelRequest } from "./types.ts";

/** How requests name the program to a provider. */
const USER_AGENT = "orphus";

const KINDS = { text_delta: "text", thinking_delta: "thinking", toolcall_delta: "toolCall" } as const;

const fromPiEvent = (event: AssistantMessageEvent, model: ModelInfo): ModelEvent | undefined => {
  switch (event.type) {
    case "start":
      return { type: "start" };
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      return { type: "delta", contentIndex: event.contentIndex, kind: KINDS[event.type], delta: event.delta };
    case "done":
      return { type: "end", message: fromPiMessage(event.message, model) };
    case "error":
      return { type: "end", message: fromPiMessage(event.error, model) };
    case "text_start":
    case "text_end":
    case "thinking_start":
    case "thinking_end":
    case "toolcall_start":
    case "toolcall_end":
      return undefined;
    default:
      return undefined;
  }
};

const requestOptions = (request: ModelRequest) => ({
  signal: request.signal,
  fetch: request.transport,
  // The payload of every API is built as JSON; the hook gives JSON back.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  onPayload: (payload: unknown) => request.onPayload(payload as JsonValue),
  onResponse: ({ status, headers }: { status: number; headers: Record<string, string> }) =>
    request.onResponse({ status, headers }),
  ...(request.thinkingLevel === "off" ? {} : { reasoning: request.thinkingLevel }),
  // Retries are ours: each is a record of its own, and waits on the clock capability.
  maxRetries: 0,
  // The one transport that goes through `fetch`.
  transport: "sse" as const,
  // Message threads would send bodies that say less than what the model sees.
  disableContinuation: true,
  // Given, so that it is not looked up in the environment.
  cacheRetention: "short" as const,
  identity: { userAgent: { custom: USER_AGENT } },
});

/** A model of the library, behind our own types. */
export const createModelProvider = (
  models: Models,
  piModel: Model<Api>,
  model: ModelInfo,
): ModelProvider => ({
  model,
  async *stream(request) {
    const context = {
      systemPrompt: request.systemPrompt,
      messages: request.messages.map(toPiMessage),
      tools: request.tools.map(({ name, description, parameters }): Tool => ({
        name,
        description,
        parameters,
      })),
    };
    for await (const event of models.streamSimple(piModel, context, requestOptions(request))) {
      const ours = fromPiEvent(event, model);
      if (ours !== undefined) yield ours;
    }
  },
});
