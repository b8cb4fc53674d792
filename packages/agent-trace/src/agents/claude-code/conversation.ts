import { CallBook } from "../../calls.ts";
import { classifyCall } from "../../classify/index.ts";
import type { Timestamp, ToolCallItem } from "../../item.ts";
import type { Conversation } from "../../json-lines.ts";
import { SourceItems, type SessionItems } from "../../items.ts";
import { count, object, objects, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReaderOptions, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { ResponseBook } from "./responses.ts";
import { readApiError } from "./api-error.ts";
import { resultText, callEnd } from "./tool-result.ts";
import { tools } from "./tools.ts";

/** Calls that started a sub-agent, with the agent's id, beyond which the oldest is forgotten. */
const agentLimit = 1000;

/**
 * The conversation of one Claude Code source: its messages as items. Holds what must be known from line to line, all of
 * it bounded.
 */
export class ClaudeConversation implements Conversation {
  readonly items: SourceItems;
  readonly calls: CallBook;
  readonly responses: ResponseBook;
  readonly #options: ReaderOptions;
  /** The call that started a sub-agent → the agent's id. */
  readonly #agents: Map<string, string>;
  /** The main session; known from the first line that names it. */
  #mainId: string | undefined;
  /** Something was said in the present turn, so that another `init` begins a new one. */
  turnOpen: boolean;
  #results: number;
  /** The last thing said was a failed model request. */
  failed: boolean;
  /** The end of the usage limit that was hit last, where the source told it. */
  resetAt: Timestamp | undefined;
  /** The last thing said was that the user, or a signal, interrupted. */
  interrupted: boolean;

  readonly #tellsByCalls: boolean;

  /** `tellsByCalls`: the source has no lines that tell of refusals and of sub-agents' starts; its calls tell. */
  constructor(options: ReaderOptions, saved: JsonValue | undefined, tellsByCalls = false) {
    const state = object(saved);
    this.#tellsByCalls = tellsByCalls;
    this.#options = options;
    this.items = new SourceItems("claude-code", state?.["items"]);
    this.calls = new CallBook(this.items, state?.["calls"]);
    this.responses = new ResponseBook(this.items, state?.["responses"]);
    this.#mainId = string(state?.["main"]);
    this.turnOpen = state?.["turnOpen"] === true;
    this.#results = count(state?.["results"]) ?? 0;
    this.failed = state?.["failed"] === true;
    this.resetAt = string(state?.["resetAt"]);
    this.interrupted = state?.["interrupted"] === true;
    this.#agents = new Map(
      Object.entries(object(state?.["agents"]) ?? {}).flatMap(([call, id]): [string, string][] =>
        typeof id === "string" ? [[call, id]] : [],
      ),
    );
  }

  /** The session a line belongs to: the main one, or the sub-agent's that `parent_tool_use_id` names. */
  sessionOf(record: JsonObject): SessionItems | undefined {
    this.#mainId = text(record["session_id"]) ?? this.#mainId;
    if (this.#mainId === undefined) return undefined;
    const call = text(record["parent_tool_use_id"]);
    if (call === undefined) return this.items.session(this.#mainId);
    const agentId = text(record["agent_id"]) ?? this.#agents.get(call) ?? call;
    this.rememberAgent(this.#mainId, call, agentId);
    return this.items.session(`${this.#mainId}/${agentId}`);
  }

  /** The transcript goes on in this session. Another id than before is a session that continues the earlier one. */
  follow(sessionId: string): SessionItems {
    this.#mainId = sessionId;
    return this.items.session(sessionId);
  }

  /** The main session; in a sub-agent's own file, which has none, the sub-agent's. */
  get session(): SessionItems | undefined {
    return this.main ?? this.items.sessions[Symbol.iterator]().next().value;
  }

  get main(): SessionItems | undefined {
    return this.#mainId === undefined ? undefined : this.items.session(this.#mainId);
  }

  /** The number of the result that is being read, from 1. */
  nextResult(): number {
    this.#results += 1;
    return this.#results;
  }

  /** The sub-agent that a call of a session started. */
  rememberAgent(sessionId: string, callId: string, agentId: string): void {
    if (this.#agents.get(callId) === agentId) return;
    this.#agents.set(callId, agentId);
    const oldest = this.#agents.keys().next().value;
    if (this.#agents.size > agentLimit && oldest !== undefined) this.#agents.delete(oldest);
    this.calls.amend(sessionId, callId, { childSessionId: `${rootOf(sessionId)}/${agentId}` });
  }

  /** Says who a sub-agent's session belongs to, before anything else of it is given out. */
  announceChild(session: SessionItems, record: JsonObject, sink: ReadSink): void {
    const call = text(record["parent_tool_use_id"]);
    if (call === undefined || this.main === undefined) return;
    session.learn(
      present({
        parentSessionId: this.main.id,
        parentCallId: call,
        title: text(record["task_description"]),
        cwd: this.main.facts.cwd,
        agentVersion: this.main.facts.agentVersion,
      }),
      sink,
    );
  }

  /**
   * A line of a response. `final` says that the source's figures are final although no stop reason is written: versions
   * before 2.0.70 wrote none in their transcripts.
   */
  assistant(session: SessionItems, record: JsonObject, final: boolean, sink: ReadSink): void {
    const what = readApiError(session, record, this.resetAt, sink);
    this.failed = what === "error";
    this.interrupted = false;
    if (what !== "response") return;
    const message = object(record["message"]) ?? {};
    const at = timestamp(record["timestamp"]);
    const model = text(message["model"]);
    session.learn(present({ models: model === undefined ? undefined : [{ model }] }), sink);
    const responseId = this.responses.response(session, record, final, sink);
    for (const block of objects(message["content"])) {
      if (block["type"] === "tool_use") this.#startCall(session, block, { at, model, responseId }, sink);
    }
    session.touch(at);
  }

  #startCall(
    session: SessionItems,
    block: JsonObject,
    from: { at: string | undefined; model: string | undefined; responseId: string | undefined },
    sink: ReadSink,
  ): void {
    const callId = text(block["id"]);
    const tool = text(block["name"]);
    if (callId === undefined || tool === undefined) return;
    const { home } = this.#options;
    this.calls.start(
      {
        callId,
        sessionId: session.id,
        tool,
        at: from.at,
        class: classifyCall(
          { tool, input: block["input"] },
          { tools, cwd: session.facts.cwd ?? this.#options.cwd, home },
        ),
        model: from.model,
        messageId: from.responseId,
      },
      sink,
    );
  }

  /** Reads a user line's tool results. Returns the text of a line that has none: a message, or words put into its mouth. */
  user(session: SessionItems, record: JsonObject, sink: ReadSink): string | undefined {
    const content = object(record["message"])?.["content"];
    const results = objects(content).filter((block) => block["type"] === "tool_result");
    for (const block of results) this.#endCall(session, record, block, sink);
    session.touch(timestamp(record["timestamp"]));
    if (results.length > 0) return undefined;
    const said = resultText(content);
    if (!said.startsWith("[Request interrupted by user")) return said;
    this.interrupted = true;
    session.mark("interrupted", text(record["uuid"]), timestamp(record["timestamp"]), {}, sink);
    return undefined;
  }

  #endCall(session: SessionItems, record: JsonObject, block: JsonObject, sink: ReadSink): void {
    const callId = text(block["tool_use_id"]);
    if (callId === undefined) return;
    // A resumed session of 2.1.12 answered under another id than it had asked under.
    const asked = this.calls.has(session.id, callId)
      ? session.id
      : (this.calls.sessionOf(callId) ?? session.id);
    const result = object(record["tool_use_result"]) ?? object(record["toolUseResult"]);
    const agentId = text(result?.["agentId"]);
    if (agentId !== undefined) this.rememberAgent(asked, callId, agentId);
    const known = this.calls.end(asked, callId, callEnd(record, block, callId), sink);
    if (known === undefined) session.novelty("line", "tool_result without its call", callId, sink);
    else if (this.#tellsByCalls) this.#tell(session, known, resultText(block["content"]), agentId, sink);
  }

  #tell(
    session: SessionItems,
    call: ToolCallItem,
    said: string,
    agentId: string | undefined,
    sink: ReadSink,
  ): void {
    if (call.outcome === "denied")
      session.mark("permission_denied", call.key, undefined, { note: said }, sink);
    if (agentId !== undefined) session.mark("subagent_start", agentId, call.at, { note: call.summary }, sink);
  }

  novelty(what: "kind" | "line" | "value", name: string, record: JsonObject, sink: ReadSink): void {
    (this.sessionOf(record) ?? this.main)?.novelty(what, name, record, sink);
  }

  finish(sink: ReadSink): void {
    this.calls.finish(sink);
    this.items.finish(sink);
  }

  state(): JsonValue {
    return {
      items: this.items.state(),
      calls: this.calls.state(),
      responses: this.responses.state(),
      agents: Object.fromEntries(this.#agents),
      turnOpen: this.turnOpen,
      results: this.#results,
      failed: this.failed,
      interrupted: this.interrupted,
      ...present({ main: this.#mainId, resetAt: this.resetAt }),
    };
  }
}

/** A sub-agent's sub-agents lie beside it: all are named after the main session. */
const rootOf = (sessionId: string): string => sessionId.split("/", 1)[0] ?? sessionId;
