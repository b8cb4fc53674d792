import type {
  AssistantMessage as PiAssistantMessage,
  Message as PiMessage,
  Usage as PiUsage,
} from "@earendil-works/pi-ai";
import type { AssistantMessage, JsonObject, Message, StopReason, Usage } from "../message.ts";
import type { ModelInfo } from "./types.ts";

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const NO_USAGE: PiUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: NO_COST };

/** Our message as the library takes it. Its usage is not sent anywhere; the library only insists on having one. */
export const toPiMessage = (message: Message): PiMessage => {
  switch (message.role) {
    case "user":
      return message;
    case "toolResult": {
      const { toolCallId, toolName, content, isError, timestamp } = message;
      return { role: "toolResult", toolCallId, toolName, content, isError, timestamp };
    }
    case "assistant": {
      const { usage, ...rest } = message;
      return { ...rest, usage: usage === undefined ? NO_USAGE : { ...usage, cost: usage.cost ?? NO_COST } };
    }
    default:
      return message satisfies never;
  }
};

/** The library writes zeros where the provider said nothing; a response without a single token was not counted. */
const fromPiUsage = (usage: PiUsage, model: ModelInfo): Usage | undefined => {
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = usage;
  if (input + output + cacheRead + cacheWrite === 0) return undefined;
  const { input: inputUsd, output: outputUsd, cacheRead: readUsd, cacheWrite: writeUsd, total } = cost;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...(usage.cacheWrite1h === undefined || usage.cacheWrite1h === 0
      ? {}
      : { cacheWrite1h: usage.cacheWrite1h }),
    ...(usage.reasoning === undefined ? {} : { reasoning: usage.reasoning }),
    totalTokens,
    ...(model.prices === undefined
      ? {}
      : { cost: { input: inputUsd, output: outputUsd, cacheRead: readUsd, cacheWrite: writeUsd, total } }),
  };
};

const STOP_REASONS: readonly StopReason[] = ["stop", "length", "toolUse", "error", "aborted"];

const fromPiContent = (content: PiAssistantMessage["content"]): AssistantMessage["content"] =>
  content.map((block) =>
    block.type === "toolCall"
      ? {
          type: block.type,
          id: block.id,
          name: block.name,
          // The library types nested arrays read-only; the values are the same JSON.
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
          arguments: structuredClone(block.arguments) as JsonObject,
          ...(block.thoughtSignature === undefined ? {} : { thoughtSignature: block.thoughtSignature }),
          ...(block.argumentsError === undefined ? {} : { argumentsError: block.argumentsError }),
        }
      : { ...block },
  );

/** The library's message as ours. Its clock readings are left out. */
export const fromPiMessage = (message: PiAssistantMessage, model: ModelInfo): AssistantMessage => {
  const usage = fromPiUsage(message.usage, model);
  const { errorMessage, rawStopReason, responseId, responseModel } = message;
  return {
    role: "assistant",
    content: fromPiContent(message.content),
    api: message.api,
    provider: message.provider,
    model: message.model,
    ...(responseModel === undefined ? {} : { responseModel }),
    ...(responseId === undefined ? {} : { responseId }),
    ...(usage === undefined ? {} : { usage }),
    // "pending" and "deferred" are no ends that we ask for.
    stopReason: STOP_REASONS.find((reason) => reason === message.stopReason) ?? "error",
    ...(rawStopReason === undefined ? {} : { rawStopReason }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
    timestamp: 0,
  };
};
