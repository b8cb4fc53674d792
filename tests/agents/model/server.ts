import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { openEvents, type Api, type Conversation } from "./api.ts";
import { chatCompletionsApi } from "./chat-completions.ts";
import { parseObject } from "./json.ts";
import { messagesApi } from "./messages.ts";
import type { Played, PlayedResponse } from "./played.ts";
import { responsesApi } from "./responses.ts";
import type { Answer, Failure, Lane, Script } from "./script.ts";

const apis: readonly Api[] = [messagesApi, responsesApi, chatCompletionsApi];

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  url: string;
  played: Played;
  close(): Promise<void>;
}

/** What it says to requests that offer no tools: agents ask for titles and summaries beside the conversation. */
const aside: Answer = { text: "A title", usage: { input: 11, output: 3 } };

/** Said, and so recorded, when an agent asks for more than the script has. */
const beyond: Answer = { text: "The script has no such answer.", usage: { input: 1, output: 1 } };

/**
 * Starts a model server on a free loopback port. The answer is chosen from the request alone, by how many answers the
 * conversation in it already holds: a repeated request gets the same answer, and side requests do not advance the script.
 */
export const startModelServer = async (script: Script): Promise<ModelServer> => {
  const model = new ScriptedModel(script);
  const server = createServer((request, response) => {
    model.serve(request, response).catch((error: unknown) => response.destroy(asError(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the model server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    played: model.played,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

class ScriptedModel {
  readonly played: Played = { responses: [], failures: [], results: new Map(), asides: [] };
  readonly #script: Script;
  readonly #failed = new Map<Failure, number>();
  #ids = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = parseObject(await text(request));
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const api = apis.find((each) => each.path === path);
    if (api === undefined || request.method !== "POST") {
      sendJson(response, 404, { error: { type: "not_found_error", message: `no ${path} here` } });
      return;
    }
    this.#answer(api, api.read(body), response);
  }

  #answer(api: Api, conversation: Conversation, response: ServerResponse): void {
    for (const { callId, text: result } of conversation.results) this.played.results.set(callId, result);
    const { lane, answers } = this.#laneOf(conversation);
    const isAside = lane === "main" && !conversation.hasTools;
    const place = conversation.answers;
    const answer = isAside ? aside : (answers[place] ?? beyond);
    if (this.#fails(answer.failure)) {
      this.played.failures.push({ lane, status: answer.failure.status });
      const after = answer.failure.retryAfterSeconds;
      const headers = after === undefined ? {} : { "retry-after": String(after) };
      sendJson(response, answer.failure.status, api.errorBody(answer.failure), headers);
      return;
    }
    const reply = this.#play(api, conversation, lane, place, answer);
    (isAside ? this.played.asides : this.played.responses).push(reply);
    api.send(
      {
        ...reply,
        ...(answer.thinking === undefined ? {} : { thinking: answer.thinking }),
        ...textIn(answer),
      },
      openEvents(response),
    );
    response.end();
  }

  #laneOf({ userText }: Conversation): { lane: Lane; answers: readonly Answer[] } {
    const { main, helper } = this.#script;
    return helper !== undefined && userText.includes(helper.words)
      ? { lane: "helper", answers: helper.answers }
      : { lane: "main", answers: main };
  }

  #fails(failure: Failure | undefined): failure is Failure {
    if (failure === undefined) return false;
    const failed = this.#failed.get(failure) ?? 0;
    this.#failed.set(failure, failed + 1);
    return failed < (failure.times ?? Number.POSITIVE_INFINITY);
  }

  #play(
    api: Api,
    { model, results }: Conversation,
    lane: Lane,
    place: number,
    answer: Answer,
  ): PlayedResponse {
    const latest = results.at(-1)?.text ?? "";
    return {
      lane,
      place,
      id: this.#nextId(api.prefixes.response),
      model,
      text: answer.text ?? "",
      calls: (answer.calls ?? []).map(({ arguments: given, ...call }) => ({
        ...call,
        id: this.#nextId(api.prefixes.call),
        arguments: typeof given === "function" ? given(latest) : given,
      })),
      usage: api.tells(answer.usage),
    };
  }

  #nextId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}played${String(this.#ids).padStart(4, "0")}`;
  }
}

const textIn = ({ text: said }: Answer): { text?: string } => (said === undefined ? {} : { text: said });

const sendJson = (
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
};
