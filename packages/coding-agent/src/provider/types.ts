/** The provider layer in our own words. Nothing outside this folder knows the library behind it. */
import type { ModelTransport } from "../capabilities/node/transport.ts";
import type { ModelInfo, ModelPrices } from "../model.ts";
import type { AssistantMessage, JsonValue, Message } from "../message.ts";
import type { ThinkingLevel } from "../session/entry.ts";

export type { ModelInfo, ModelPrices, ModelTransport };

export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
}

export interface ModelRequest {
  systemPrompt: string;
  messages: readonly Message[];
  tools: readonly ToolDeclaration[];
  thinkingLevel: ThinkingLevel;
  signal: AbortSignal;
  /** Every HTTP request goes through it. */
  transport: ModelTransport;
  /** The last say over the payload before it is serialized. */
  onPayload(payload: JsonValue): Promise<JsonValue>;
  /** The head of a successful response has come. */
  onResponse(response: { status: number; headers: Record<string, string> }): Promise<void>;
}

export type ModelEvent =
  | { type: "start" }
  | { type: "delta"; contentIndex: number; kind: "text" | "thinking" | "toolCall"; delta: string }
  /** Last event. `message.timestamp` and `durationMs` are set by whoever asked, from its own clock. */
  | { type: "end"; message: AssistantMessage };

/** A model that can be asked. One `stream` makes one HTTP request unless the wire format itself demands another. */
export interface ModelProvider {
  readonly model: ModelInfo;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** How an extension describes a provider of its own. */
export interface ProviderConfig {
  api: "anthropic-messages" | "openai-completions" | "openai-responses" | "google-generative-ai";
  baseUrl: string;
  /** Name of the environment variable that holds the key. */
  apiKeyEnv?: string;
  models: readonly {
    id: string;
    name?: string;
    prices?: ModelPrices;
    reasoning?: boolean;
    contextWindow?: number;
    maxTokens?: number;
  }[];
}
