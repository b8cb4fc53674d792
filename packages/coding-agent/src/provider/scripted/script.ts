import {
  arr,
  compile,
  int,
  map,
  num,
  obj,
  oneOf,
  opt,
  type Static,
  str,
  unknown,
} from "@earendil-works/pi-schema";
import { parseJson } from "../../json.ts";
import type { JsonObject } from "../../message.ts";

const tokens = (description: string) => opt(int({ minimum: 0, description }));

const callSchema = obj({
  id: opt(str({ minLength: 1, description: "Id of the call; made up when absent." })),
  name: str({ minLength: 1, description: "Name of the tool." }),
  arguments: opt(map(unknown(), { description: "Arguments of the call." })),
});

const usageSchema = obj(
  {
    input: tokens("Input tokens without cache reads and writes."),
    output: tokens("Output tokens, reasoning included."),
    cacheRead: tokens("Tokens read from the cache."),
    cacheWrite: tokens("Tokens written to the cache."),
    cacheWrite1h: tokens("The part of cacheWrite that is kept for an hour."),
    reasoning: tokens("The part of output that is reasoning."),
  },
  { open: true },
);

const turnSchema = obj({
  text: opt(str({ description: "Text of the answer." })),
  thinking: opt(str({ description: "Reasoning before it." })),
  toolCalls: opt(arr(callSchema, { description: "Tools the model asks for." })),
  stopReason: opt(
    oneOf(["stop", "length", "toolUse", "error", "aborted"], {
      description: "Default: toolUse with calls, else stop.",
    }),
  ),
  error: opt(str({ description: "The request fails with this message." })),
  status: opt(
    int({
      minimum: 0,
      maximum: 599,
      description: "HTTP status; default 200, or 500 with error. 0: no connection.",
    }),
  ),
  usage: opt(usageSchema),
  delayMs: opt(int({ minimum: 0, description: "Milliseconds before the response begins." })),
});

const price = () => num({ minimum: 0, description: "US dollars per million tokens." });

const modelSchema = obj({
  id: opt(str({ minLength: 1 })),
  name: opt(str()),
  provider: opt(str({ minLength: 1 })),
  cost: opt(obj({ input: price(), output: price(), cacheRead: price(), cacheWrite: price() })),
  contextWindow: opt(int({ minimum: 1 })),
  maxTokens: opt(int({ minimum: 1 })),
});

/** JSON Schema of a script file; `schema/script.schema.json` is printed from it. */
export const scriptFileSchema = obj({
  $schema: opt(str()),
  model: opt(modelSchema),
  turns: arr(turnSchema, { description: "One per request, in order. Beyond the last, answers are empty." }),
});

/** One answer of a scripted model. */
export interface ScriptedTurn {
  text?: string;
  thinking?: string;
  toolCalls?: readonly { id?: string; name: string; arguments?: JsonObject }[];
  stopReason?: "stop" | "length" | "toolUse" | "error" | "aborted";
  /** The request fails with this message. */
  error?: string;
  /** HTTP status; 200 unless given, 500 with `error`. 0: no connection. */
  status?: number;
  usage?: {
    input?: number;
    output?: number;
    cacheRead?: number;
    cacheWrite?: number;
    cacheWrite1h?: number;
    reasoning?: number;
  };
  /** Milliseconds before the response begins. */
  delayMs?: number;
}

export type ScriptedModel = Static<typeof modelSchema>;

export interface ScriptFile {
  model: ScriptedModel;
  turns: ScriptedTurn[];
}

/** A script file that cannot be used; the message names the file, the place and what belongs there. */
export class ScriptError extends Error {
  override name = "ScriptError";
}

const validator = compile(scriptFileSchema);

const place = (pointer: string): string =>
  pointer === ""
    ? "the file"
    : pointer
        .slice(1)
        .replaceAll(/\/(\d+)/gu, "[$1]")
        .replaceAll("/", ".");

const firstRepeatedCall = (turns: readonly ScriptedTurn[]): string | undefined => {
  const ids = turns.flatMap((turn) => turn.toolCalls ?? []).flatMap(({ id }) => id ?? []);
  return ids.find((id, index) => ids.indexOf(id) !== index);
};

/** Reads a script. Throws {@link ScriptError}. */
export const parseScript = (text: string, path: string): ScriptFile => {
  const parsed = parseJson(text);
  if (parsed === undefined) throw new ScriptError(`${path}: not valid JSON. ${jsonComplaint(text)}`);
  const result = validator.validate(parsed);
  if (!result.ok) {
    const lines = result.errors.slice(0, 5).map((error) => `\n  ${place(error.path)}: ${error.message}`);
    throw new ScriptError(`${path}: not a script of turns:${lines.join("")}\nSee schema/script.schema.json.`);
  }
  // The schema allows what the interface says; only the optional fields' undefined, which JSON cannot hold, is between.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  const turns = result.value.turns as ScriptedTurn[];
  const repeated = firstRepeatedCall(turns);
  if (repeated !== undefined)
    throw new ScriptError(`${path}: two tool calls have the id ${repeated}; ids are unique.`);
  return { model: result.value.model ?? {}, turns };
};

const jsonComplaint = (text: string): string => {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
