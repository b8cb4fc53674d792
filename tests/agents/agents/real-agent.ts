import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentName } from "@orphus/agent-trace/item";
import type { Ending, ScriptedCall, Usage } from "../model/script.ts";

/** A real agent program: how it is installed, pointed at a model server, and what its records can say. */
export interface RealAgent {
  name: AgentName;
  /** Name of its program, as a supervisor looks it up on PATH. */
  program: string;
  /** npm packages and their exact versions; the first is the agent's own. */
  packages: readonly [pinned: Pin, ...more: Pin[]];
  /** The command that starts it, given the folder that the packages are installed in. Install scripts do not run. */
  command(modules: string): readonly [file: string, ...args: string[]];
  /** Variables and files that make it use the model server and nothing else. */
  environment(modelUrl: string): Record<string, string>;
  prepare(place: Place): void;
  /** Arguments of a one-shot that prints its structured stream. */
  args(prompt: string, model: string): string[];
  /** The model it is told to use, and how a command line names it where that differs. */
  model: string;
  modelArgument?: string;
  tools: Tools;
  helper?: Helper;
  /** Whether its records name a response by the model's own id, with or without a time behind it, or by their own. */
  responseIds: "the-model's" | "its-own";
  /** What it adds to a tool's result when it tells it to the model. */
  addsToResults?: RegExp;
  /** What it says each response cost, in nano-dollars, where it says so. */
  costOf?(usage: Usage): number;
  /** What it adds to its total for each response, in nano-dollars, where it states a total. */
  totalCostOf?(usage: Usage): number;
  stream: SourceFacts;
  transcript: SourceFacts;
}

export interface Pin {
  name: string;
  version: string;
}

export interface Place {
  home: string;
  work: string;
  modelUrl: string;
}

/** How the agent's own tools are called. */
export interface Tools {
  shell(command: string, ends: Ending): ScriptedCall;
  write(path: string, content: string, ends: Ending): ScriptedCall;
  read(path: string, ends: Ending): ScriptedCall;
  edit(path: string, before: string, after: string, ends: Ending): ScriptedCall;
}

/** How it is made to start a sub-agent. */
export interface Helper {
  /** The model with which it offers sub-agents, where not with any. */
  model?: string;
  /** The calls that hand `prompt` to a sub-agent and have its answer, one per response. */
  calls(prompt: string): ScriptedCall[];
}

/** What one of an agent's two sources can say. What it cannot say, the record must leave out. */
export interface SourceFacts {
  /**
   * `as-asked`: calls carry the model's own id, tool name and arguments. `as-ended`: the same, each only when it has
   * ended. `renamed`: the agent's own instead.
   */
  calls: "as-asked" | "as-ended" | "renamed";
  /** `response`: each response has its tokens. `placeholder`: it has, but its output is not true; the turn's is. */
  tokens: "response" | "placeholder" | "turn";
  model: boolean;
  /** HTTP statuses of refused requests that show when they are tried again. */
  retries: readonly number[];
  /** What is in it of a sub-agent. `started`: its session, but not all it said. */
  helper: "whole" | "started" | "nothing";
  /** How a call that was running when the agent was interrupted is in it. `racing`: unanswered, or not at all. */
  interruptedCall: "unanswered" | "error" | "racing";
  /** Whether the response that asked for such a call has its tokens. */
  interruptedTokens: boolean;
  /** Whether it says itself that the run was interrupted. */
  interruption: boolean;
  /** Whether its last result holds what the model said last. */
  answer: boolean;
}

/** Writes a file below a folder, with the folders on the way. */
export const put = (folder: string, path: string, content: string | object): void => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
};

/** No provider ever sees it; some agents refuse to start without one. */
export const unusedKey = "unused";

/** Name of npm's folder for this machine's platform, as most packages with binaries spell it. */
export const platform = `${process.platform}-${process.arch}`;

/** Prices that agents with a configured price are given, in dollars per million tokens. */
export const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } as const;

/** What a usage comes to at those prices, in nano-dollars. They are the list prices of the Claude model used here as well. */
export const priced = ({ input, output, cacheRead = 0, cacheWrite5m = 0 }: Usage): number =>
  input * 3000 + output * 15_000 + cacheRead * 300 + cacheWrite5m * 3750;
