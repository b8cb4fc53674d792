import type { HonoRequest } from "hono";
import { type JsonValue, limits } from "../run/run.ts";
import { ApiError } from "./errors.ts";

/**
 * The JSON of a request.
 * @throws {ApiError} `validation_failed` for anything but JSON that is nested no deeper than the limit.
 */
export const readJson = async (request: HonoRequest): Promise<JsonValue> => {
  // Asking for this type also keeps web pages out: a browser would have to ask first, and is not answered.
  if (!/^application\/json\s*(;|$)/i.test(request.header("content-type") ?? "")) {
    throw new ApiError("validation_failed", "The content type must be application/json.");
  }
  const bytes = await request.arrayBuffer();
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError("validation_failed", "The body is not UTF-8.");
  }
  if (nesting(text) > limits.jsonDepth) {
    throw new ApiError("validation_failed", `The body is nested deeper than ${limits.jsonDepth} levels.`);
  }
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse can give is just what JsonValue says
    return JSON.parse(text) as JsonValue;
  } catch {
    // The parser's own message would repeat what was sent.
    throw new ApiError("validation_failed", "The body is not JSON.");
  }
};

/** How deep a JSON text is nested; found without recursion, before anything recursive sees it. */
const nesting = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') quoted = !quoted;
    else if (quoted) at += char === "\\" ? 1 : 0;
    else if (char === "[" || char === "{") deepest = Math.max(deepest, (depth += 1));
    else if (char === "]" || char === "}") depth -= 1;
  }
  return deepest;
};
