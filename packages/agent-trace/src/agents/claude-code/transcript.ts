import { posix } from "node:path";
import type { TranscriptOptions } from "../../agent.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import type { SessionItems } from "../../items.ts";
import { boolean, object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, LineReader, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { ClaudeConversation } from "./conversation.ts";
import { readCostState } from "./cost-state.ts";
import { readTranscriptSystem } from "./transcript-system.ts";
import { Sidechains } from "./sidechains.ts";
import { writesStopReason } from "./version.ts";
import { transcriptFields } from "./fields.ts";

/**
 * Heads of lines that 2.1.332 adds: copies of what was sent to the model, most of the file. They are passed over by their
 * first bytes, without being parsed.
 */
export const skippedHeads = ['{"type":"api-request'] as const;

/** Line kinds that carry nothing for the record. */
const silent = new Set([
  "agent-name",
  "agent-setting",
  "api-request",
  "api-request-blob",
  "api-request-shape",
  "atis-latch",
  "attachment",
  "content-replacement",
  "file-history-delta",
  "file-history-snapshot",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "queue-operation",
  "summary",
  "tools-used",
]);

/**
 * A transcript of Claude Code: `<session>.jsonl`, or a sub-agent's `<session>/subagents/agent-<id>.jsonl`. Seen from
 * 1.0.51 to 2.1.332. A sub-agent's lines name the parent's session; with the agent's id they are a session of their own.
 */
class ClaudeTranscript implements RecordHandler {
  readonly #conversation: ClaudeConversation;
  readonly #sidechains: Sidechains;
  readonly #options: TranscriptOptions;

  constructor(options: TranscriptOptions) {
    const saved = object(handlerState(options.state));
    this.#options = options;
    this.#conversation = new ClaudeConversation(options, saved?.["conversation"], true);
    this.#sidechains = new Sidechains(saved?.["sidechains"]);
  }

  record(record: JsonObject, sink: ReadSink): void {
    const kind = string(record["type"]);
    const session = this.#sessionOf(record, sink);
    if (session === undefined) return;
    switch (kind) {
      case "assistant": {
        const final = !writesStopReason(text(record["version"]));
        return this.#conversation.assistant(session, record, final, sink);
      }
      case "user":
        return this.#user(session, record, sink);
      case "system":
        return readTranscriptSystem(session, record, sink);
      case "progress":
        return this.#progress(session, record);
      case "ai-title":
      case "custom-title":
        return session.learn(
          present({ title: text(record["aiTitle"]) ?? text(record["customTitle"]) }),
          sink,
        );
      case "cost-state":
        return readCostState(this.#conversation, session, record, sink);
      case undefined:
        return session.novelty("line", "without a type", record, sink);
      default:
        if (!silent.has(kind)) session.novelty("kind", kind, record, sink);
    }
  }

  /** The session a line belongs to. A line that names none (a snapshot of files) belongs to the last one seen. */
  #sessionOf(record: JsonObject, sink: ReadSink): SessionItems | undefined {
    const named = text(record["sessionId"]);
    if (named === undefined) return this.#conversation.main;
    const agentId =
      text(record["agentId"]) ??
      (boolean(record["isSidechain"]) === true ? this.#sidechains.of(record) : undefined);
    if (agentId === undefined) {
      const session = this.#conversation.follow(named);
      this.#learn(session, record, {}, sink);
      return session;
    }
    const session = this.#conversation.items.session(`${named}/${agentId}`);
    // What started it is told by a file beside it, which is read once.
    const link = session.facts.parentSessionId === undefined ? this.#link(agentId) : {};
    this.#learn(session, record, { parentSessionId: named, ...link }, sink);
    return session;
  }

  #learn(
    session: SessionItems,
    record: JsonObject,
    link: { parentSessionId?: string; parentCallId?: string; title?: string },
    sink: ReadSink,
  ): void {
    session.touch(timestamp(record["timestamp"]));
    const { cwd, gitBranch } = session.facts;
    session.learn(
      present({
        ...link,
        agentVersion: text(record["version"]),
        // Where it began: the agent's later `cd` moves the calls, not the session.
        cwd: cwd ?? text(record["cwd"]),
        gitBranch: gitBranch ?? text(record["gitBranch"]),
      }),
      sink,
    );
  }

  #link(agentId: string): { parentCallId?: string; title?: string } {
    if (posix.basename(this.#options.path) !== `agent-${agentId}.jsonl`) return {};
    const raw = this.#options.sibling(this.#options.path.replace(/\.jsonl$/, ".meta.json"));
    const meta = object(raw === undefined ? undefined : parseJson(raw));
    const title = text(meta?.["description"]);
    return present({
      parentCallId: text(meta?.["toolUseId"]),
      title: title === undefined ? undefined : this.#options.mask(title),
    });
  }

  #user(session: SessionItems, record: JsonObject, sink: ReadSink): void {
    const said = this.#conversation.user(session, record, sink);
    if (said === undefined || said === "" || session.facts.parentSessionId !== undefined) return;
    if (boolean(record["isMeta"]) === true || boolean(record["isCompactSummary"]) === true) return;
    const at = timestamp(record["timestamp"]);
    const notified = /^<task-notification>\s*<task-id>([\w-]{1,64})<\/task-id>/.exec(said)?.[1];
    if (notified !== undefined) {
      // A finished background agent starts a turn of its own; nobody typed it.
      session.beginTurn();
      const note = /<status>([\w-]{1,40})<\/status>/.exec(said)?.[1];
      session.mark("subagent_end", notified, at, present({ note }), sink);
    } else if (!isInjected(said)) {
      session.beginTurn();
      session.mark("user_message", text(record["uuid"]), at, { note: said }, sink);
    }
  }

  /** Copies of a sub-agent's messages, with lower usage than its own file has: only the link to the call is taken. */
  #progress(session: SessionItems, record: JsonObject): void {
    const data = object(record["data"]);
    const agentId = text(data?.["agentId"]);
    const call = text(record["parentToolUseID"]);
    if (data?.["type"] !== "agent_progress" || agentId === undefined || call === undefined) return;
    this.#conversation.rememberAgent(session.id, call, agentId);
  }

  get session(): SessionItems | undefined {
    return this.#conversation.session;
  }

  finish(sink: ReadSink): void {
    this.#conversation.finish(sink);
  }

  state(): JsonValue {
    return { conversation: this.#conversation.state(), sidechains: this.#sidechains.state() };
  }
}

/** Text that the program puts into the conversation in the user's name: reminders, output of slash commands. */
const isInjected = (said: string): boolean => {
  const trimmed = said.trim();
  return (
    (trimmed.startsWith("<") && trimmed.endsWith(">")) || trimmed.startsWith("Caveat: The messages below")
  );
};

export const transcriptReader = (options: TranscriptOptions): LineReader =>
  jsonLinesReader(new ClaudeTranscript(options), {
    state: options.state,
    skip: skippedHeads,
    fields: transcriptFields,
  });

/** Every line of a conversation names its session in camel case. */
export const detectTranscript = (lines: readonly string[]): boolean =>
  lines.some((line) => {
    const record = object(parseJson(line));
    return (
      text(record?.["sessionId"]) !== undefined &&
      text(record?.["type"]) !== undefined &&
      (record?.["isSidechain"] !== undefined || record?.["type"] === "queue-operation")
    );
  });
