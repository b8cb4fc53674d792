import type { JsonObject, JsonValue, Message, ToolResultMessage } from "../message.ts";
import type { RunResult } from "../result.ts";

/** What an extension can hear, by name: the event, and what a handler may answer. */
export interface ExtensionEvents {
  session_start: { event: { sessionId: string; cwd: string }; answer: void };
  agent_start: { event: { prompt: string }; answer: void };
  agent_end: { event: { result: RunResult }; answer: void };
  turn_start: { event: { turn: number }; answer: void };
  turn_end: { event: { turn: number }; answer: void };
  message_end: { event: { entryId: string; message: Message }; answer: void };
  /** May change `payload` in place or give another one. A handler that throws keeps the request from being sent. */
  before_provider_request: { event: { payload: JsonValue }; answer: { payload: JsonValue } | void };
  after_provider_response: { event: { status: number; headers: Record<string, string> }; answer: void };
  /** `input` is the live object: what a handler leaves in it is what is validated again, approved and run. */
  tool_call: {
    event: { toolCallId: string; toolName: string; input: JsonObject };
    answer: { block?: boolean; reason?: string } | void;
  };
  /** May replace parts of the result before it is kept. */
  tool_result: {
    event: {
      toolCallId: string;
      toolName: string;
      input: JsonObject;
      content: ToolResultMessage["content"];
      details?: JsonObject;
      isError: boolean;
    };
    answer: { content?: ToolResultMessage["content"]; details?: JsonObject; isError?: boolean } | void;
  };
}

export type ExtensionEventName = keyof ExtensionEvents;

export type ExtensionHandler<Name extends ExtensionEventName> = (
  event: ExtensionEvents[Name]["event"],
) => ExtensionEvents[Name]["answer"] | Promise<ExtensionEvents[Name]["answer"]>;
