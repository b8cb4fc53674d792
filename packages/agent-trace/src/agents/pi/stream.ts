import type { FieldWatch } from "../../fields.ts";
import type { AgentName } from "../../item.ts";
import type { SessionItems } from "../../items.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import { at as path, boolean, number, object, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, LineReader, ReaderOptions, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { PiMessages } from "./messages.ts";

/** Events that no item is made of: steps of what a later event tells whole. */
const passed = new Set([
  "agent_start",
  "turn_start",
  "turn_end",
  "message_start",
  "message_update",
  "tool_execution_start",
  "tool_execution_update",
  "tool_stream_update",
  "entry_appended",
  "advisor_cost_changed",
  "auto_retry_start",
  "auto_retry_end",
  "auto_compaction_start",
  "compaction_start",
  "queue_update",
  "session_info_changed",
  "thinking_level_changed",
]);

/** The session of a stream whose beginning was cut off. */
const unknownSession = "unknown";

/**
 * `pi --mode json` and `omp --mode json`. The run's end is `agent_settled`, or before it existed an `agent_end`; each try
 * has an `agent_end` of its own, so that a failure is settled by what comes next, and by the source's end.
 */
class EventHandler implements RecordHandler {
  readonly #agent: AgentName;
  readonly #options: ReaderOptions;
  #messages: PiMessages;

  constructor(agent: AgentName, options: ReaderOptions, saved: JsonObject | undefined) {
    this.#agent = agent;
    this.#options = options;
    this.#messages = new PiMessages(agent, unknownSession, options, object(saved?.["messages"]));
  }

  record(event: JsonObject, sink: ReadSink): void {
    const type = string(event["type"]) ?? "?";
    const message = object(event["message"]);
    if (type === "session") this.#session(event, sink);
    else if (type === "message_end" && message !== undefined) this.#messages.read(message, undefined, sink);
    else if (type === "tool_execution_end") this.#toolEnd(event);
    else if (type === "agent_settled") this.#messages.settleFailure(sink);
    else if (type === "agent_end") this.#agentEnd(event, sink);
    else if (type === "compaction_end" || type === "auto_compaction_end") this.#compaction(event, sink);
    else if (!passed.has(type)) this.#messages.session.novelty("kind", type, event, sink);
  }

  #session(header: JsonObject, sink: ReadSink): void {
    const id = text(header["id"]);
    if (id === undefined) return;
    if (id !== this.#messages.session.id) {
      this.#messages.finish(sink);
      this.#messages = new PiMessages(this.#agent, id, this.#options, undefined);
    }
    this.#messages.session.touch(timestamp(header["timestamp"]));
    this.#messages.session.learn(present({ cwd: text(header["cwd"]) }), sink);
  }

  #toolEnd(event: JsonObject): void {
    const callId = text(event["toolCallId"]);
    const exitCode = number(path(event, "result", "structuredContent", "exit_code"));
    if (callId !== undefined && exitCode !== undefined) this.#messages.exit(callId, exitCode);
  }

  /** Where it says so itself (`willRetry`, `isTerminal`), a failed try is settled at once. */
  #agentEnd(event: JsonObject, sink: ReadSink): void {
    if (boolean(event["willRetry"]) === false || boolean(event["isTerminal"]) === true)
      this.#messages.settleFailure(sink);
  }

  #compaction(event: JsonObject, sink: ReadSink): void {
    if (boolean(event["aborted"]) !== true)
      this.#messages.session.mark("compaction", undefined, undefined, {}, sink);
  }

  get session(): SessionItems {
    return this.#messages.session;
  }

  finish(sink: ReadSink): void {
    this.#messages.finish(sink);
  }

  state(): JsonValue {
    return { messages: this.#messages.state() };
  }
}

export const eventReader = (agent: AgentName, fields: FieldWatch, options: ReaderOptions): LineReader =>
  jsonLinesReader(new EventHandler(agent, options, object(handlerState(options.state))), {
    state: options.state,
    fields,
    // Most of a stream: each repeats the message so far.
    skip: ['{"type":"message_update"', '{"type":"tool_execution_update"'],
  });

/**
 * pi, omp and orphus begin with a line that is alike; the one after it tells them apart: pi starts its agent, omp tells
 * of its advisor first.
 */
export const isPiLine = (line: string): boolean => line.startsWith('{"type":"agent_start"');

export const isOmpLine = (line: string): boolean => line.startsWith('{"type":"advisor_cost_changed"');
