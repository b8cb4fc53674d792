import type { AssistantMessage } from "../message.ts";
import type { ProviderError } from "../record/types.ts";
import type { RunResult, RunSubtype, RunUsage } from "../result.ts";
import type { Answer } from "./ask.ts";

const NANO = 1e9;

/** Sums up what one run did and spent. */
export interface Tally {
  add: (answer: Answer) => void;
  /** Counts what was spent beside the conversation, on a summary. */
  addAside: (message: AssistantMessage, requests: number) => void;
  result(subtype: RunSubtype, durationMs: number, error: ProviderError | undefined): RunResult;
}

const textOf = (message: AssistantMessage | undefined): string =>
  (message?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");

export const createTally = (): Tally => {
  let usage: RunUsage | undefined;
  /** Whole nano-dollars; undefined once a response's price is not known. */
  let costNano: number | undefined = 0;
  let turns = 0;
  let requests = 0;
  let last: AssistantMessage | undefined;

  const addUsage = ({ usage: spent }: AssistantMessage): void => {
    if (spent === undefined) return;
    usage ??= { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    for (const field of ["input", "output", "cacheRead", "cacheWrite"] as const) usage[field] += spent[field];
    for (const field of ["cacheWrite1h", "reasoning"] as const)
      if (spent[field] !== undefined) usage[field] = (usage[field] ?? 0) + spent[field];
    costNano =
      spent.cost === undefined || costNano === undefined
        ? undefined
        : costNano + Math.round(spent.cost.total * NANO);
  };

  return {
    add({ message, requests: dispatched, error }) {
      last = message;
      requests += dispatched;
      if (error === undefined) turns += 1;
      addUsage(message);
    },
    addAside(message, dispatched) {
      requests += dispatched;
      addUsage(message);
    },
    result: (subtype, durationMs, error) => ({
      subtype,
      isError: subtype !== "success",
      turns,
      durationMs,
      text: textOf(last),
      ...(usage === undefined ? {} : { usage }),
      ...(usage === undefined || costNano === undefined ? {} : { costUsd: costNano / NANO }),
      requests,
      ...(error === undefined ? {} : { error }),
    }),
  };
};
