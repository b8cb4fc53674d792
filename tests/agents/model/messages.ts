import { countAnswers, piecesOf, type Api, type Conversation, type EventStream, type Reply } from "./api.ts";
import { objectsOf, textOf, wordOf, type JsonObject } from "./json.ts";
import type { Failure, Usage } from "./script.ts";

/** Anthropic's Messages API, streamed. Shapes from its public reference. */
export const messagesApi: Api = {
  path: "/v1/messages",
  prefixes: { response: "msg_01", call: "toolu_01" },
  read: (request) => readMessages(request),
  // It says nothing of reasoning, and always how much went through the cache.
  tells: ({ input, output, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0 }) => ({
    input,
    output,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h,
  }),
  send: (reply, events) => sendMessage(reply, events),
  errorBody: (failure) => ({
    type: "error",
    error: { type: errorType(failure), message: failure.message },
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
      .flatMap((message) => objectsOf(message["content"]))
      .filter((block) => block["type"] === "tool_result")
      .map((block) => ({ callId: wordOf(block["tool_use_id"]), text: textOf(block["content"]) })),
    hasTools: objectsOf(request["tools"]).length > 0,
  };
};

const usageOf = ({ input, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0 }: Usage, output: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
  cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
  cache_read_input_tokens: cacheRead,
  output_tokens: output,
});

const sendMessage = (reply: Reply, events: EventStream): void => {
  const send = (type: string, fields: JsonObject): void => events.event({ type, ...fields }, type);
  send("message_start", {
    message: {
      id: reply.id,
      type: "message",
      role: "assistant",
      model: reply.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // The real one starts with a placeholder for the output as well.
      usage: usageOf(reply.usage, 1),
    },
  });
  for (const [index, block] of blocksOf(reply).entries()) {
    send("content_block_start", { index, content_block: block.empty });
    for (const delta of block.deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  send("message_delta", {
    delta: { stop_reason: reply.calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
    usage: usageOf(reply.usage, reply.usage.output),
  });
  send("message_stop", {});
};

interface Block {
  empty: JsonObject;
  deltas: JsonObject[];
}

const blocksOf = ({ thinking, text, calls }: Reply): Block[] => [
  ...(thinking === undefined
    ? []
    : [
        {
          empty: { type: "thinking", thinking: "", signature: "" },
          deltas: [
            ...piecesOf(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece })),
            { type: "signature_delta", signature: "c2lnbmVk" },
          ],
        },
      ]),
  ...(text === undefined
    ? []
    : [
        {
          empty: { type: "text", text: "" },
          deltas: piecesOf(text).map((piece) => ({ type: "text_delta", text: piece })),
        },
      ]),
  ...calls.map((call) => ({
    empty: { type: "tool_use", id: call.id, name: call.tool, input: {} },
    deltas: piecesOf(JSON.stringify(call.arguments)).map((piece) => ({
      type: "input_json_delta",
      partial_json: piece,
    })),
  })),
];

const errorType = ({ status }: Failure): string => {
  if (status === 401) return "authentication_error";
  if (status === 429) return "rate_limit_error";
  return status === 529 ? "overloaded_error" : "api_error";
};
