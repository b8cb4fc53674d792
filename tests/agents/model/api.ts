import type { ServerResponse } from "node:http";
import type { JsonObject } from "./json.ts";
import type { Failure, Usage } from "./script.ts";

/** One API of a model provider, as far as agents use it: streamed answers and errors. */
export interface Api {
  /** Where its requests go, below the server's address. */
  path: string;
  /** Beginnings of the ids it gives out. */
  prefixes: { response: string; call: string };
  read(request: JsonObject): Conversation;
  /** The part of a usage that it can tell. */
  tells(usage: Usage): Usage;
  send(reply: Reply, events: EventStream): void;
  errorBody(failure: Failure): JsonObject;
}

/** What a request says of the conversation so far. */
export interface Conversation {
  model: string;
  /** Responses of the model that are in it. */
  answers: number;
  /** Text of what the user, or whoever started the agent, said. */
  userText: string;
  /** Tool results, oldest first. */
  results: { callId: string; text: string }[];
  hasTools: boolean;
}

/** A response that is to be sent. */
export interface Reply {
  id: string;
  model: string;
  thinking?: string;
  text?: string;
  calls: ReplyCall[];
  usage: Usage;
}

export interface ReplyCall {
  id: string;
  tool: string;
  namespace?: string;
  arguments: JsonObject | string;
}

/** Writes server-sent events. */
export interface EventStream {
  /** `name` is the event's, where the API names them. */
  event(data: JsonObject | string, name?: string): void;
}

export const openEvents = (response: ServerResponse): EventStream => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return {
    event: (data, name) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
    },
  };
};

/** Text in the pieces in which it is streamed: more than one, so that a client has to put them together. */
export const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,24}/gu) ?? [];

/** How often the model has spoken: neighbouring entries of its are one answer. */
export const countAnswers = (fromModel: readonly boolean[]): number =>
  fromModel.filter((isModel, index) => isModel && fromModel[index - 1] !== true).length;
