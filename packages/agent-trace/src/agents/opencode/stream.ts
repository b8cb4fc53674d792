import { SourceItems, type SessionItems } from "../../items.ts";
import { handlerState, jsonLinesReader, type RecordHandler } from "../../json-lines.ts";
import { count, number, object, parseJson, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, LineReader, ReaderOptions, ReadSink } from "../../reader.ts";
import { fromMillis } from "../../time.ts";
import { callItem, childMarks, errorOf, usageItem, type PartPlace } from "./parts.ts";
import { streamFields } from "./fields.ts";

/** The session of events that name none. */
const unknownSession = "unknown";

/** `opencode run --format json`: finished parts only. It has no prompts, models, retries or children. */
class RunHandler implements RecordHandler {
  readonly #items: SourceItems;
  readonly #options: ReaderOptions;
  /** The message whose steps are being counted. */
  #message: string | undefined;
  #steps: number;
  #sessionId: string;

  constructor(options: ReaderOptions, saved: JsonObject | undefined) {
    this.#options = options;
    this.#items = new SourceItems("opencode", saved?.["items"]);
    this.#message = string(saved?.["message"]);
    this.#steps = count(saved?.["steps"]) ?? 0;
    this.#sessionId = string(saved?.["session"]) ?? unknownSession;
  }

  record(event: JsonObject, sink: ReadSink): void {
    const type = string(event["type"]) ?? "?";
    const session = this.#items.session(text(event["sessionID"]) ?? this.#sessionId);
    this.#sessionId = session.id;
    const at = fromMillis(number(event["timestamp"]));
    session.touch(at);
    session.learn({}, sink);
    const part = object(event["part"]) ?? {};
    const place = (): PartPlace => ({
      sessionId: session.id,
      messageId: text(part["messageID"]),
      rev: 0,
      seq: this.#items.nextSeq(),
      ...present({ cwd: this.#options.cwd, home: this.#options.home }),
    });
    if (type === "tool_use") {
      const call = callItem(place(), part, false);
      if (call !== undefined) sink.item(call);
      for (const mark of childMarks(place(), part)) sink.item(mark);
    } else if (type === "step_finish") this.#step(place(), part, at, sink);
    else if (type === "error") this.#error(session.id, event["error"], at, sink);
    else if (type === "text") liveText(place(), part, sink);
    else if (type !== "step_start" && type !== "reasoning") session.novelty("kind", type, event, sink);
  }

  #step(place: PartPlace, part: JsonObject, at: string | undefined, sink: ReadSink): void {
    const message = place.messageId ?? text(part["id"]) ?? "?";
    this.#steps = message === this.#message ? this.#steps + 1 : 1;
    this.#message = message;
    const key = this.#steps > 1 ? `${message}/${this.#steps}` : message;
    const usage = usageItem(place, key, part, at);
    if (usage !== undefined) sink.item(usage);
    const reason = string(part["reason"]);
    if (reason === undefined || reason === "tool-calls") return;
    const session = this.#items.session(place.sessionId);
    const head = session.head("result", message, this.#items.nextSeq(), at);
    const { turn: _unknown, ...known } = head;
    sink.item({ ...known, type: "result", subtype: reason, isError: false, claims: [] });
  }

  #error(sessionId: string, value: JsonValue | undefined, at: string | undefined, sink: ReadSink): void {
    const error = errorOf(value, at);
    if (error === undefined) return;
    const session = this.#items.session(sessionId);
    const { message: note, verdict, status } = error;
    session.mark(
      error.isAbort ? "interrupted" : "api_error",
      undefined,
      at,
      { note, ...verdict, ...present({ status }) },
      sink,
    );
    const { errorClass, errorKind } = verdict;
    const seq = this.#items.nextSeq();
    const head = session.head("result", `error:${seq}`, seq, at);
    sink.item({
      ...head,
      type: "result",
      subtype: "error",
      isError: true,
      errorClass,
      errorKind,
      claims: [],
    });
  }

  get session(): SessionItems {
    return this.#items.session(this.#sessionId);
  }

  finish(sink: ReadSink): void {
    this.#items.finish(sink);
  }

  state(): JsonValue {
    return {
      items: this.#items.state(),
      steps: this.#steps,
      session: this.#sessionId,
      ...present({ message: this.#message }),
    };
  }
}

const liveText = ({ sessionId, seq }: PartPlace, part: JsonObject, sink: ReadSink): void => {
  const words = text(part["text"]);
  const key = text(part["id"]) ?? "-";
  if (words !== undefined)
    sink.live?.({ v: 1, sessionId, key, rev: 0, seq, type: "text_delta", text: words });
};

export const runReader = (options: ReaderOptions): LineReader =>
  jsonLinesReader(new RunHandler(options, object(handlerState(options.state))), {
    state: options.state,
    fields: streamFields,
  });

export const isRunLine = (line: string): boolean => {
  const event = object(parseJson(line));
  return (
    text(event?.["sessionID"]) !== undefined &&
    text(event?.["type"]) !== undefined &&
    number(event?.["timestamp"]) !== undefined
  );
};
