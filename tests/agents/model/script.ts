import type { Action } from "@orphus/agent-trace/item";
import type { JsonObject } from "./json.ts";

/** What a model server plays: for each conversation the answers it gives, in order. */
export interface Script {
  main: Answer[];
  /** The conversation of a sub-agent: known by words that its first message holds. */
  helper?: { words: string; answers: Answer[] };
}

export type Lane = "main" | "helper";

/** One model response. */
export interface Answer {
  thinking?: string;
  text?: string;
  calls?: ScriptedCall[];
  usage: Usage;
  /** Requests that are refused before this answer is given. */
  failure?: Failure;
}

/**
 * Tokens of one response, each kind apart: `input` without what was read from or written to a cache, `output` with
 * reasoning, of which `reasoning` says how much. What an API cannot say it does not send.
 */
export interface Usage {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  reasoning?: number;
}

export interface Failure {
  status: number;
  message: string;
  /** How many requests fail; absent = every one. */
  times?: number;
  retryAfterSeconds?: number;
}

/** An object for a tool with a schema; a string for one that takes free text. */
export type CallArguments = JsonObject | string;

export interface ScriptedCall {
  tool: string;
  /** The group a tool is in, where the API has such. */
  namespace?: string;
  /** A function is given the newest tool result of the conversation: some arguments name what an earlier call made. */
  arguments: CallArguments | ((latestResult: string) => CallArguments);
  /** What kind of work it is, and the file in the working folder that it touches. */
  does: Action;
  path?: string;
  ends: Ending;
}

/** How a call must end when the agent carries it out. */
export interface Ending {
  outcome: "ok" | "error" | "interrupted";
  /** Of a command. */
  exitCode?: number;
  errorKind?: string;
}
