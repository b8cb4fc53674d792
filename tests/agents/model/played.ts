import type { CallArguments, Lane, ScriptedCall, Usage } from "./script.ts";

/** What a model server has played, and what the agent told it back: the truth a record is checked against. */
export interface Played {
  responses: PlayedResponse[];
  failures: { lane: Lane; status: number }[];
  /** Text of each tool result as it came back, by call id. */
  results: Map<string, string>;
  /** Answers to requests without tools, such as one for a title. */
  asides: PlayedResponse[];
}

export interface PlayedResponse {
  lane: Lane;
  /** Its place in the lane's answers, from 0. */
  place: number;
  id: string;
  model: string;
  text: string;
  calls: PlayedCall[];
  /** What the API told of the usage. */
  usage: Usage;
}

export interface PlayedCall extends Omit<ScriptedCall, "arguments"> {
  id: string;
  arguments: CallArguments;
}
