import { cutBytes, plainText, RESULT_TEXT_BYTES } from "../../bounded-text.ts";
import { CallBook } from "../../calls.ts";
import { classifyCall } from "../../classify/index.ts";
import type { Claim, RequestRef } from "../../item.ts";
import type { Conversation } from "../../json-lines.ts";
import { SourceItems, type SessionItems } from "../../items.ts";
import { boolean, count, object, objects, string, text, type JsonObject } from "../../jsonline.ts";
import { nanoUsd } from "../../money.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReaderOptions, ReadSink } from "../../reader.ts";
import { timestamp } from "../../time.ts";
import { messageText, requestError, requestOf, startedAt, tokensOf } from "./message.ts";
import { tools } from "./tools.ts";

/** What a request cost, and which it was. */
interface Spent {
  usage: JsonValue | undefined;
  key: string | undefined;
  at: string | undefined;
  model: string | undefined;
  provider: string | undefined;
  request: RequestRef | undefined;
}

/** One entry of a session as stream and session file both tell it. */
export interface Told {
  entryId: string | undefined;
  message: JsonObject;
  request: RequestRef | undefined;
  at: string | undefined;
}

/** The conversation of one orphus source, stream or session file: its messages as items. */
export class OrphusConversation implements Conversation {
  readonly items: SourceItems;
  readonly calls: CallBook;
  readonly #options: ReaderOptions;
  #sessionId: string | undefined;

  constructor(options: ReaderOptions, saved: JsonValue | undefined) {
    const state = object(saved);
    this.#options = options;
    this.items = new SourceItems("orphus", state?.["items"]);
    this.calls = new CallBook(this.items, state?.["calls"]);
    this.#sessionId = string(state?.["session"]);
  }

  get session(): SessionItems | undefined {
    return this.#sessionId === undefined ? undefined : this.items.session(this.#sessionId);
  }

  /** The header, line 1 of both sources. */
  header(record: JsonObject, sink: ReadSink): void {
    const id = text(record["id"]);
    if (id === undefined) return;
    this.#sessionId = id;
    this.items.session(id).learn(
      present({
        startedAt: timestamp(record["timestamp"]),
        cwd: text(record["cwd"]),
        gitBranch: text(record["gitBranch"]),
        agentVersion: text(object(record["agent"])?.["version"]),
        forkedFrom: text(record["parentSession"]),
      }),
      sink,
    );
  }

  message(told: Told, sink: ReadSink): void {
    const { session } = this;
    if (session === undefined) return;
    const role = string(told.message["role"]);
    session.touch(told.at);
    if (role === "user") this.#user(session, told, sink);
    else if (role === "assistant") this.#assistant(session, told, sink);
  }

  #user(session: SessionItems, told: Told, sink: ReadSink): void {
    session.beginTurn();
    const note = messageText(told.message);
    session.mark("user_message", told.entryId, startedAt(told.message) ?? told.at, { note }, sink);
  }

  #assistant(session: SessionItems, told: Told, sink: ReadSink): void {
    const { message, request } = told;
    const model = text(message["responseModel"]) ?? text(message["model"]);
    const provider = text(message["provider"]);
    const key = request?.id ?? told.entryId;
    const at = startedAt(message) ?? told.at;
    const served = model === undefined ? undefined : [{ model, ...present({ provider }) }];
    session.learn(present({ models: served }), sink);
    this.#usage(session, { usage: message["usage"], key, at, model, provider, request }, sink);
    this.#failure(session, told, key, at, sink);
    for (const block of objects(message["content"])) {
      if (block["type"] === "toolCall")
        this.#startCall(session, block, { at: told.at, model, provider, key, request }, sink);
    }
  }

  #usage(session: SessionItems, spent: Spent, sink: ReadSink): void {
    const { usage, key, at, model, provider, request } = spent;
    const tokens = tokensOf(usage);
    if (tokens === undefined || key === undefined) return;
    const costNanoUsd = nanoUsd(object(object(usage)?.["cost"])?.["total"]);
    sink.item({
      ...session.head("usage", key, this.items.nextSeq(), at),
      type: "usage",
      ...tokens,
      ...present({ model, provider, costNanoUsd, request }),
      costSource: costNanoUsd === undefined ? "unknown" : "recorded",
      exact: true,
      covers: "response",
    });
  }

  /** Older history was summed up, which a request of its own paid for. */
  compaction(record: JsonObject, entryId: string | undefined, sink: ReadSink): void {
    const { session } = this;
    if (session === undefined) return;
    const at = timestamp(record["timestamp"]);
    const request = requestOf(record["request"]);
    const [model, provider] = [text(record["model"]), text(record["provider"])];
    this.#usage(session, { usage: record["usage"], key: request?.id, at, model, provider, request }, sink);
    // One that failed left the history as it was.
    if (entryId !== undefined) session.mark("compaction", entryId, at, {}, sink);
  }

  #failure(
    session: SessionItems,
    told: Told,
    key: string | undefined,
    at: string | undefined,
    sink: ReadSink,
  ): void {
    const reason = string(told.message["stopReason"]);
    const said = text(told.message["errorMessage"]) ?? "";
    if (reason === "aborted")
      session.mark("interrupted", key, at, present({ note: said || undefined }), sink);
    if (reason === "error")
      session.mark("api_error", key, at, requestError(told.message["error"], said), sink);
  }

  #startCall(
    session: SessionItems,
    block: JsonObject,
    from: {
      at: string | undefined;
      model: string | undefined;
      provider: string | undefined;
      key: string | undefined;
      request: RequestRef | undefined;
    },
    sink: ReadSink,
  ): void {
    const callId = text(block["id"]);
    const tool = text(block["name"]);
    if (callId === undefined || tool === undefined) return;
    this.calls.start(
      {
        callId,
        sessionId: session.id,
        tool,
        at: from.at,
        class: classifyCall(
          { tool, input: block["arguments"] },
          { tools, cwd: session.facts.cwd ?? this.#options.cwd, home: this.#options.home },
        ),
        model: from.model,
        provider: from.provider,
        messageId: from.key,
        request: from.request,
      },
      sink,
    );
  }

  result(record: JsonObject, sink: ReadSink): void {
    const { session } = this;
    if (session === undefined) return;
    const at = timestamp(record["timestamp"]);
    const said = text(record["text"]);
    const isError = boolean(record["isError"]) ?? false;
    const { errorClass, errorKind } = requestError(record["error"], string(record["subtype"]));
    const key = text(record["entryId"]) ?? text(record["id"]) ?? `${session.turn}`;
    session.touch(at);
    sink.item({
      ...session.head("result", key, this.items.nextSeq(), at),
      type: "result",
      isError,
      claims: claimsOf(record),
      ...present({
        subtype: text(record["subtype"]),
        turns: count(record["turns"]),
        durationMs: count(record["durationMs"]),
        text: said === undefined ? undefined : cutBytes(plainText(said), RESULT_TEXT_BYTES),
      }),
      ...(isError ? { errorClass, errorKind } : {}),
    });
    session.flush(sink);
  }

  novelty(name: string, record: JsonObject, sink: ReadSink): void {
    this.session?.novelty("kind", name, record, sink);
  }

  finish(sink: ReadSink): void {
    this.calls.finish(sink);
    this.items.finish(sink);
  }

  state(): JsonValue {
    return {
      items: this.items.state(),
      calls: this.calls.state(),
      ...(this.#sessionId === undefined ? {} : { session: this.#sessionId }),
    };
  }
}

/** The result speaks of one run, which is one turn; orphus has no sub-agents. */
const claimsOf = (record: JsonObject): Claim[] => {
  const costNanoUsd = nanoUsd(record["costUsd"]);
  const usage = tokensOf(record["usage"]);
  if (costNanoUsd === undefined && usage === undefined) return [];
  return [{ ...present({ costNanoUsd, usage }), since: "turn", subagents: "out" }];
};
