import type { RandomBytes } from "../../ids.ts";
import type { ScriptedTurn } from "./script.ts";

/** Longest piece of text in one event, in code points. */
const PIECE = 32;

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

const STOP_REASONS = { stop: "end_turn", length: "max_tokens", toolUse: "tool_use" } as const;

type StreamEvent = { type: string; [field: string]: unknown };

const pieces = (text: string): string[] => text.match(new RegExp(`[^]{1,${PIECE}}`, "gu")) ?? [];

const id = (prefix: string, random: RandomBytes): string => prefix + Buffer.from(random(12)).toString("hex");

const block = (index: number, content: StreamEvent, deltas: StreamEvent[]): StreamEvent[] => [
  { type: "content_block_start", index, content_block: content },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];

const contentBlocks = (turn: ScriptedTurn, random: RandomBytes): StreamEvent[] => {
  const blocks: [StreamEvent, StreamEvent[]][] = [];
  if (turn.thinking !== undefined) {
    const deltas = pieces(turn.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: Buffer.from(random(12)).toString("base64") };
    blocks.push([{ type: "thinking", thinking: "", signature: "" }, [...deltas, signature]]);
  }
  if (turn.text !== undefined && turn.text !== "")
    blocks.push([
      { type: "text", text: "" },
      pieces(turn.text).map((text) => ({ type: "text_delta", text })),
    ]);
  for (const call of turn.toolCalls ?? []) {
    const json = pieces(JSON.stringify(call.arguments ?? {}));
    blocks.push([
      { type: "tool_use", id: call.id ?? id("toolu_", random), name: call.name, input: {} },
      json.map((partial) => ({ type: "input_json_delta", partial_json: partial })),
    ]);
  }
  return blocks.flatMap(([content, deltas], index) => block(index, content, deltas));
};

const inputUsage = ({ usage = {} }: ScriptedTurn) => ({
  input_tokens: usage.input ?? 0,
  cache_read_input_tokens: usage.cacheRead ?? 0,
  cache_creation_input_tokens: usage.cacheWrite ?? 0,
  ...(usage.cacheWrite1h === undefined
    ? {}
    : { cache_creation: { ephemeral_1h_input_tokens: usage.cacheWrite1h } }),
});

const outputUsage = ({ usage = {} }: ScriptedTurn) => ({
  output_tokens: usage.output ?? 0,
  ...(usage.reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: usage.reasoning } }),
});

const events = (turn: ScriptedTurn, model: string, random: RandomBytes): StreamEvent[] => {
  const calls = (turn.toolCalls ?? []).length > 0;
  const { stopReason = calls ? "toolUse" : "stop" } = turn;
  const start = { id: id("msg_", random), type: "message", role: "assistant", model, content: [] };
  const message = { ...start, usage: { ...inputUsage(turn), output_tokens: 0 } };
  const failed = stopReason === "error" || stopReason === "aborted" || turn.error !== undefined;
  return [
    { type: "message_start", message },
    ...contentBlocks(turn, random),
    ...(failed
      ? [{ type: "error", error: { type: "api_error", message: turn.error ?? `scripted ${stopReason}` } }]
      : [
          {
            type: "message_delta",
            delta: { stop_reason: STOP_REASONS[stopReason] },
            usage: outputUsage(turn),
          },
          { type: "message_stop" },
        ]),
  ];
};

/** The answer to one request as a server of the Messages API would give it: an event stream, or an error body. */
export const renderResponse = (turn: ScriptedTurn, model: string, random: RandomBytes): Response => {
  const status = turn.status ?? (turn.error === undefined ? 200 : 500);
  if (status >= 400) {
    const error = {
      type: ERROR_TYPES[status] ?? "api_error",
      message: turn.error ?? `scripted status ${status}`,
    };
    return Response.json({ type: "error", error }, { status });
  }
  const stream = events(turn, model, random)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  return new Response(stream, { status, headers: { "content-type": "text/event-stream" } });
};
