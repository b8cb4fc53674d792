/** Answers of one text, as servers of the four wire formats stream them. */
import { renderResponse } from "../provider/scripted/response.ts";
import type { ScriptedTurn } from "../provider/scripted/script.ts";
import type { ProviderConfig } from "../provider/types.ts";
import type { Answer } from "./server.ts";

const events = (...data: object[]): string =>
  data.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

const chunk = (delta: object, finish: string | null, rest: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...rest,
});

const completions = (text: string): string =>
  `${events(
    chunk({ role: "assistant", content: text }, null),
    chunk({}, "stop", { usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 } }),
  )}data: [DONE]\n\n`;

const responses = (text: string): string => {
  const message = { id: "msg_1", type: "message", role: "assistant" };
  const content = [{ type: "output_text", text, annotations: [] }];
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const done = { ...message, status: "completed", content };
  const usage = { input_tokens: 7, output_tokens: 2, total_tokens: 9 };
  return events(
    { type: "response.created", response: { id: "resp_1", status: "in_progress" } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...message, status: "in_progress", content: [] },
    },
    { type: "response.content_part.added", ...at, part: { type: "output_text", text: "", annotations: [] } },
    { type: "response.output_text.delta", ...at, delta: text },
    { type: "response.output_item.done", output_index: 0, item: done },
    { type: "response.completed", response: { id: "resp_1", status: "completed", output: [done], usage } },
  );
};

const google = (text: string): string =>
  events({
    candidates: [{ content: { parts: [{ text }], role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
    responseId: "resp_1",
  });

/** A turn of a script as a server of the Messages API answers it. */
export const messagesAnswer = async (turn: ScriptedTurn): Promise<Answer> => {
  const response = renderResponse(turn, "m", (size) => new Uint8Array(size));
  return {
    status: response.status,
    body: await response.text(),
    type: response.headers.get("content-type") ?? "",
  };
};

/** An answer of one text in a wire format. */
export const textAnswer = async (api: ProviderConfig["api"], text: string): Promise<Answer> => {
  switch (api) {
    case "anthropic-messages":
      return messagesAnswer({ text, usage: { input: 7, output: 2 } });
    case "openai-completions":
      return { body: completions(text) };
    case "openai-responses":
      return { body: responses(text) };
    case "google-generative-ai":
      return { body: google(text) };
    default:
      return api satisfies never;
  }
};
