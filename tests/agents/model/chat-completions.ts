import { countAnswers, piecesOf, type Api, type Conversation, type EventStream, type Reply } from "./api.ts";
import { objectsOf, textOf, wordOf, type JsonObject } from "./json.ts";

/** OpenAI's Chat Completions API, streamed, as many gateways speak it. Shapes from its public reference. */
export const chatCompletionsApi: Api = {
  path: "/v1/chat/completions",
  prefixes: { response: "chatcmpl-", call: "call_" },
  read: (request) => readMessages(request),
  tells: ({ input, output, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, reasoning = 0 }) => ({
    input: input + cacheWrite5m + cacheWrite1h,
    output,
    cacheRead,
    reasoning,
  }),
  send: (reply, events) => sendChunks(reply, events),
  errorBody: ({ status, message }) => ({
    error: {
      message,
      type: status === 401 ? "authentication_error" : "server_error",
      param: null,
      code: null,
    },
  }),
};

const readMessages = (request: JsonObject): Conversation => {
  const messages = objectsOf(request["messages"]);
  const first = messages.find((message) => message["role"] === "user");
  return {
    model: wordOf(request["model"]),
    answers: countAnswers(messages.map((message) => message["role"] === "assistant")),
    userText: textOf(first?.["content"]),
    results: messages
      .filter((message) => message["role"] === "tool")
      .map((message) => ({ callId: wordOf(message["tool_call_id"]), text: textOf(message["content"]) })),
    hasTools: objectsOf(request["tools"]).length > 0,
  };
};

const sendChunks = (reply: Reply, events: EventStream): void => {
  const chunk = (choices: JsonObject[], fields: JsonObject = {}): void =>
    events.event({
      id: reply.id,
      object: "chat.completion.chunk",
      created: 0,
      model: reply.model,
      choices,
      ...fields,
    });
  const send = (delta: JsonObject): void => chunk([{ index: 0, delta, finish_reason: null }]);
  send({ role: "assistant", content: "" });
  for (const piece of piecesOf(reply.thinking ?? "")) send({ reasoning_content: piece });
  for (const piece of piecesOf(reply.text ?? "")) send({ content: piece });
  for (const [index, call] of reply.calls.entries()) {
    const head = { name: call.tool, arguments: "" };
    send({ tool_calls: [{ index, id: call.id, type: "function", function: head }] });
    for (const piece of piecesOf(JSON.stringify(call.arguments)))
      send({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  chunk([{ index: 0, delta: {}, finish_reason: reply.calls.length > 0 ? "tool_calls" : "stop" }]);
  chunk([], { usage: usageOf(reply) });
  events.event("[DONE]");
};

const usageOf = ({ usage }: Reply): JsonObject => {
  const { input, output, cacheRead = 0, reasoning = 0 } = chatCompletionsApi.tells(usage);
  return {
    prompt_tokens: input + cacheRead,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens: output,
    completion_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + output,
  };
};
