import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { SessionEvent } from "../events.ts";
import type { ExtensionRunner } from "../extensions/runner.ts";
import type { Message } from "../message.ts";
import type { ToolPipeline } from "../pipeline/pipeline.ts";
import type { ModelProvider, ModelTransport } from "../provider/types.ts";
import type { MaskText } from "../record/redact.ts";
import type { ProviderRecorder } from "../record/recorder.ts";
import type { RequestRef } from "../result.ts";
import type { ThinkingLevel } from "../session/entry.ts";
import type { SessionLog } from "../session/log.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import type { AgentSettings } from "./settings.ts";

/** An event before it is given its time. */
export type NewEvent = SessionEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, "timestamp">
    : never
  : never;

/** Words of the user that wait for their turn. */
export interface MessageQueue {
  /** Heard after the tool calls that are on. */
  steering: string[];
  /** Heard when the work is done. */
  followUps: string[];
}

/** What the parts of one session's agent work with. */
export interface AgentWorld {
  capabilities: HarnessCapabilities;
  log: SessionLog;
  recorder: ProviderRecorder;
  /** Masks credentials of any shape: for what is no part of the conversation. */
  mask: MaskText;
  provider: ModelProvider;
  /** Below the recording. */
  network: ModelTransport;
  extensions: ExtensionRunner;
  pipeline: ToolPipeline;
  settings: AgentSettings;
  /** As the tools are at the time of asking. */
  systemPrompt(): string;
  thinkingLevel: ThinkingLevel;
  /** The tools that are on, by name, at the time of asking. */
  tools(): ReadonlyMap<string, ToolDefinition>;
  /** What the user says while the agent works. */
  queue: MessageQueue;
  /** Gives an event its time and tells it to all listeners. */
  emit(event: NewEvent): void;
}

/** Keeps a message, then tells of it; returns its entry's id. */
export const keepMessage = async (
  world: AgentWorld,
  message: Message,
  request?: RequestRef,
): Promise<string> => {
  const ref = request === undefined ? {} : { request };
  const { id } = await world.log.append({ type: "message", message, ...ref });
  world.emit({ type: "message_end", entryId: id, message, ...ref });
  await world.extensions.tell("message_end", { entryId: id, message });
  return id;
};
