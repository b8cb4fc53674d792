import type { TranscriptOptions } from "../../agent.ts";
import type { ServedModel } from "../../item.ts";
import { at as path, number, object, objects, text, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import { fromMillis } from "../../time.ts";
import { maskedValue } from "../rows/masked.ts";
import { RowNovelties } from "../rows/novelties.ts";
import { messageItems, partsOf, userText, type StoredMessage } from "./messages.ts";

export const isExport = (document: JsonValue): boolean =>
  text(path(document, "info", "id")) !== undefined && Array.isArray(path(document, "messages"));

/** What `opencode export` writes: `{info, messages: [{info, parts}]}`, the rows of one session. */
export const readExport = (exported: JsonValue, sink: ReadSink, options: TranscriptOptions): void => {
  const document = maskedValue(exported, (words) => options.mask(words));
  const info = object(path(document, "info")) ?? {};
  const sessionId = text(info["id"]);
  if (sessionId === undefined) return;
  const messages = distinct(
    objects(path(document, "messages")).flatMap((message, index) => stored(message, sessionId, index) ?? []),
  );
  const cwd = text(info["directory"]);
  sink.item({
    v: 1,
    sessionId,
    key: "-",
    rev: 0,
    seq: 0,
    type: "session",
    agent: "opencode",
    ...present({
      agentVersion: text(info["version"]),
      parentSessionId: text(info["parentID"]),
      startedAt: fromMillis(number(path(info, "time", "created"))),
      endedAt: fromMillis(number(path(info, "time", "updated"))),
      cwd,
      title: text(info["title"]),
      models: servedModels(messages),
    }),
  });
  const novelties = new RowNovelties((words) => options.mask(words));
  let seq = 1;
  let turn = 0;
  for (const message of messages) {
    if (message.data["role"] === "user" && userText(message) !== undefined) turn += 1;
    const context = { seq, turn, isOver: true, ...present({ cwd: cwd ?? options.cwd, home: options.home }) };
    for (const item of messageItems(message, context))
      sink.item(novelties.counted(item, text(info["version"])));
    seq += message.parts.length + 1;
  }
};

const stored = (message: JsonObject, sessionId: string, index: number): StoredMessage | undefined => {
  const data = object(message["info"]);
  if (data === undefined) return undefined;
  const id = text(data["id"]) ?? `${sessionId}/message:${index + 1}`;
  const parts = partsOf(message).map((part, at) => ({
    id: text(part["id"]) ?? `${id}/part:${at + 1}`,
    rev: 0,
    data: part,
    isFresh: true,
  }));
  return { id, sessionId, rev: 0, data, isFresh: true, parts };
};

/** Ids that were blanked before the export was passed on are all alike; their messages are numbered instead. */
const distinct = (messages: StoredMessage[]): StoredMessage[] => {
  const seen = new Set<string>();
  return messages.map((message, index) => {
    const id = seen.has(message.id) ? `${message.sessionId}/message:${index + 1}` : message.id;
    seen.add(id);
    return { ...message, id };
  });
};

const servedModels = (messages: readonly StoredMessage[]): ServedModel[] | undefined => {
  const models = new Map<string, ServedModel>();
  for (const { data } of messages) {
    const model = text(data["modelID"]);
    const provider = text(data["providerID"]);
    if (model !== undefined) models.set(`${provider ?? ""} ${model}`, present({ model, provider }));
  }
  return models.size === 0 ? undefined : [...models.values()];
};
