import { cutBytes, noteText, plainText, RESULT_TEXT_BYTES } from "../../bounded-text.ts";
import type { MarkItem, MarkKind, ResultItem, TraceItem } from "../../item.ts";
import { at as path, boolean, number, objects, string, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import { fromMillis } from "../../time.ts";
import { fieldMarks, noveltyMark } from "../rows/novelties.ts";
import { transcriptFields } from "./fields.ts";
import { callItem, childMarks, errorOf, headOf, usageItem, type PartPlace } from "./parts.ts";

/** A part as it is stored, with how often its row has changed since it was made. */
export interface StoredPart {
  id: string;
  rev: number;
  data: JsonObject;
  /** Whether the part is new or changed since it was last read. */
  isFresh: boolean;
}

/** A message as it is stored, with all of its parts. */
export interface StoredMessage {
  id: string;
  sessionId: string;
  rev: number;
  data: JsonObject;
  isFresh: boolean;
  parts: readonly StoredPart[];
}

export interface MessageContext {
  /** Number of the first item in the order of starts; the parts follow. */
  seq: number;
  turn: number;
  cwd?: string;
  home?: string;
  /** The source has ended: calls that still run are unanswered. */
  isOver: boolean;
}

/** Parts that no item is made of. */
const plainParts = new Set([
  "text",
  "reasoning",
  "step-start",
  "patch",
  "snapshot",
  "file",
  "agent",
  "subtask",
]);

/** What a user said, without what opencode put in on their behalf; undefined when nothing is left. */
export const userText = (message: StoredMessage): string | undefined => {
  const said = message.parts.flatMap(({ data }) =>
    data["type"] === "text" && boolean(data["synthetic"]) !== true ? (string(data["text"]) ?? []) : [],
  );
  return said.length === 0 ? undefined : said.join("\n");
};

/** Every item of one message, those of unchanged rows left out. */
export const messageItems = (message: StoredMessage, context: MessageContext): TraceItem[] => {
  const place: PartPlace = {
    sessionId: message.sessionId,
    messageId: message.id,
    rev: message.rev,
    seq: context.seq,
    turn: context.turn,
    ...present({
      cwd: text(path(message.data, "path", "cwd")) ?? context.cwd,
      home: context.home,
      model: text(message.data["modelID"]),
      provider: text(message.data["providerID"]),
    }),
  };
  const own = message.data["role"] === "assistant" ? answerItems(message, place) : userItems(message, place);
  const ofParts = message.parts.flatMap((part, index) =>
    part.isFresh || context.isOver
      ? partItems(message, part, { ...place, rev: part.rev, seq: context.seq + 1 + index }, context.isOver)
      : [],
  );
  return [...own, ...ofParts, ...unknownFields(message, place)];
};

/** Fields of the rows that are new or changed which nobody knows. */
const unknownFields = (message: StoredMessage, place: PartPlace): TraceItem[] =>
  [message, ...message.parts].flatMap((row) =>
    row.isFresh ? fieldMarks(headOf(place, row.id), transcriptFields, row.data) : [],
  );

const userItems = (message: StoredMessage, place: PartPlace): TraceItem[] => {
  const said = userText(message);
  const isFresh = message.isFresh || message.parts.some((part) => part.isFresh);
  if (said === undefined || !isFresh) return [];
  const rev = Math.max(message.rev, ...message.parts.map((part) => part.rev));
  return [mark({ ...place, rev }, "user_message", message.id, sentAt(message), { note: said })];
};

const sentAt = (message: StoredMessage): string | undefined =>
  fromMillis(number(path(message.data, "time", "created")));

const mark = (
  place: PartPlace,
  kind: MarkKind,
  id: string,
  at: string | undefined,
  { note, ...fields }: Partial<Pick<MarkItem, "note" | "errorClass" | "errorKind" | "status" | "count">>,
): MarkItem => ({
  ...headOf(place, `${kind}:${id}`),
  type: "mark",
  kind,
  ...fields,
  ...present({ at, note: note === undefined ? undefined : noteText(note) }),
});

/** What the answer's own row tells: how it ended, and its spending where no step of it does. */
const answerItems = (message: StoredMessage, place: PartPlace): TraceItem[] => {
  if (!message.isFresh) return [];
  const { data, id } = message;
  const items: TraceItem[] = [];
  const hasStep = message.parts.some((part) => part.data["type"] === "step-finish");
  const usage = hasStep ? undefined : usageItem(place, id, data, sentAt(message));
  if (usage !== undefined) items.push(usage);
  const error = errorOf(data["error"], sentAt(message));
  if (error !== undefined) {
    const { message: note, status, verdict } = error;
    const { errorClass, errorKind } = verdict;
    const kind = error.isAbort ? "interrupted" : "api_error";
    items.push(
      mark(
        place,
        kind,
        id,
        sentAt(message),
        error.isAbort ? { note } : { note, ...verdict, ...present({ status }) },
      ),
    );
    items.push(
      result(place, id, message, error.isAbort ? "aborted" : "error", true, note, { errorClass, errorKind }),
    );
    return items;
  }
  const finish = string(data["finish"]);
  const isAnswer = finish !== undefined && finish !== "tool-calls" && boolean(data["summary"]) !== true;
  if (isAnswer && path(data, "time", "completed") !== undefined) {
    const words = message.parts.flatMap((part) =>
      part.data["type"] === "text" ? (string(part.data["text"]) ?? []) : [],
    );
    items.push(result(place, id, message, finish, false, words.join("\n"), {}));
  }
  return items;
};

const result = (
  place: PartPlace,
  key: string,
  message: StoredMessage,
  subtype: string,
  isError: boolean,
  words: string,
  error: Partial<Pick<ResultItem, "errorClass" | "errorKind">>,
): ResultItem => ({
  ...headOf(place, key),
  type: "result",
  subtype,
  isError,
  ...error,
  ...present({
    at: sentAt(message),
    text: words === "" ? undefined : cutBytes(plainText(words), RESULT_TEXT_BYTES),
  }),
  claims: [],
});

const partItems = (
  message: StoredMessage,
  part: StoredPart,
  place: PartPlace,
  isOver: boolean,
): TraceItem[] => {
  const { data } = part;
  const type = string(data["type"]) ?? "?";
  if (type === "tool") {
    const call = callItem(place, { ...data, id: part.id }, isOver);
    return [...(call === undefined ? [] : [call]), ...childMarks(place, data)];
  }
  if (type === "step-finish") {
    const usage = usageItem(place, stepKey(message, part), data, sentAt(message));
    return usage === undefined ? [] : [usage];
  }
  if (type === "compaction") return [mark(place, "compaction", part.id, sentAt(message), {})];
  if (type === "retry") {
    const at = fromMillis(number(path(data, "time", "created")));
    const error = errorOf(data["error"], at);
    return [
      mark(place, "api_retry", part.id, at, {
        ...present({ note: error?.message, status: error?.status }),
        ...error?.verdict,
      }),
    ];
  }
  return plainParts.has(type) ? [] : [noveltyMark(headOf(place, part.id), "kind", `part/${type}`)];
};

/** A response is one step of a message, and nearly always its only one. */
const stepKey = (message: StoredMessage, part: StoredPart): string => {
  const steps = message.parts.filter(({ data }) => data["type"] === "step-finish");
  const index = steps.findIndex(({ id }) => id === part.id);
  return index > 0 ? `${message.id}/${index + 1}` : message.id;
};

export const partsOf = (value: JsonObject): JsonObject[] => objects(value["parts"]);
