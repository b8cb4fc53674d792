import { countAnswers, piecesOf, type Api, type Conversation, type EventStream, type Reply } from "./api.ts";
import { objectOf, objectsOf, textOf, wordOf, type JsonObject } from "./json.ts";

/** OpenAI's Responses API, streamed. Shapes from its public reference. */
export const responsesApi: Api = {
  path: "/v1/responses",
  prefixes: { response: "resp_", call: "call_" },
  read: (request) => readInput(request),
  // One kind of cache write, and no price for it: it is told with what was not in the cache.
  tells: ({ input, output, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0, reasoning = 0 }) => ({
    input: input + cacheWrite5m + cacheWrite1h,
    output,
    cacheRead,
    reasoning,
  }),
  send: (reply, events) => sendResponse(reply, events),
  errorBody: ({ status, message }) => ({
    error: {
      message,
      type: status === 401 ? "invalid_request_error" : "server_error",
      param: null,
      code: null,
    },
  }),
};

const fromModel = new Set(["reasoning", "function_call", "custom_tool_call"]);

const readInput = (request: JsonObject): Conversation => {
  const items = objectsOf(request["input"]);
  return {
    model: wordOf(request["model"]),
    answers: countAnswers(
      items.map((item) => item["role"] === "assistant" || fromModel.has(wordOf(item["type"]))),
    ),
    userText: items
      .filter((item) => item["role"] === "user")
      .map((item) => textOf(item["content"]))
      .join("\n"),
    results: items
      .filter((item) => wordOf(item["type"]).endsWith("_call_output"))
      .map((item) => ({ callId: wordOf(item["call_id"]), text: textOf(item["output"]) })),
    hasTools: objectsOf(request["tools"]).length > 0,
  };
};

const sendResponse = (reply: Reply, events: EventStream): void => {
  let sequence = 0;
  const send = (type: string, fields: JsonObject): void => {
    events.event({ type, sequence_number: sequence, ...fields }, type);
    sequence += 1;
  };
  const outputs = outputsOf(reply);
  const response = (status: string, fields: JsonObject): JsonObject => ({
    response: { id: reply.id, object: "response", created_at: 0, model: reply.model, status, ...fields },
  });
  send("response.created", response("in_progress", { output: [], usage: null }));
  for (const [index, { opened, parts, item }] of outputs.entries()) {
    const at = { item_id: objectOf(item)["id"] ?? null, output_index: index };
    send("response.output_item.added", { output_index: index, item: opened });
    for (const { type, ...fields } of parts) send(wordOf(type), { ...at, ...fields });
    send("response.output_item.done", { output_index: index, item });
  }
  send(
    "response.completed",
    response("completed", { output: outputs.map(({ item }) => item), usage: usageOf(reply), error: null }),
  );
};

const usageOf = ({ usage }: Reply): JsonObject => {
  const { input, output, cacheRead = 0, reasoning = 0 } = responsesApi.tells(usage);
  return {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + output,
  };
};

/** An output item: as it is announced, what is streamed of it, and as it is when done. */
interface Output {
  opened: JsonObject;
  parts: JsonObject[];
  item: JsonObject;
}

const outputsOf = (reply: Reply): Output[] => [
  ...(reply.thinking === undefined ? [] : [reasoningOutput(reply.id, reply.thinking)]),
  ...(reply.text === undefined ? [] : [messageOutput(reply.id, reply.text)]),
  ...reply.calls.map((call) => callOutput(call)),
];

const reasoningOutput = (id: string, text: string): Output => {
  const item = { type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: "c2VhbGVk" };
  const part = { type: "summary_text", text };
  return {
    opened: item,
    parts: [
      { type: "response.reasoning_summary_part.added", summary_index: 0, part: { ...part, text: "" } },
      ...piecesOf(text).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        summary_index: 0,
        delta,
      })),
      { type: "response.reasoning_summary_part.done", summary_index: 0, part },
    ],
    item: { ...item, summary: [part] },
  };
};

const messageOutput = (id: string, text: string): Output => {
  const item = { type: "message", id: `msg_${id}`, role: "assistant", status: "in_progress", content: [] };
  const part = { type: "output_text", text, annotations: [] };
  return {
    opened: item,
    parts: [
      { type: "response.content_part.added", content_index: 0, part: { ...part, text: "" } },
      ...piecesOf(text).map((delta) => ({ type: "response.output_text.delta", content_index: 0, delta })),
      { type: "response.content_part.done", content_index: 0, part },
    ],
    item: { ...item, status: "completed", content: [part] },
  };
};

const callOutput = ({ id, tool, namespace, arguments: input }: Reply["calls"][number]): Output => {
  const isFree = typeof input === "string";
  const text = isFree ? input : JSON.stringify(input);
  const field = isFree ? "input" : "arguments";
  const item = {
    type: isFree ? "custom_tool_call" : "function_call",
    id: `item_${id}`,
    call_id: id,
    name: tool,
    status: "in_progress",
    ...(namespace === undefined ? {} : { namespace }),
  };
  const event = isFree ? "response.custom_tool_call_input" : "response.function_call_arguments";
  return {
    opened: { ...item, [field]: "" },
    parts: [
      ...piecesOf(text).map((delta) => ({ type: `${event}.delta`, delta })),
      { type: `${event}.done`, [field]: text },
    ],
    item: { ...item, status: "completed", [field]: text },
  };
};
