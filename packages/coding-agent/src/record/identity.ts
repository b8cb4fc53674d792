import type { SessionEntry } from "../session/entry.ts";
import { isRequest, requestRecords, responseRecords } from "./entries.ts";
import type { ProviderResponseRecord } from "./types.ts";

export interface TurnIdentity {
  turn: number;
  attempt: number;
}

/** Whether a request is over and its turn with it. */
export const completed = ({
  error,
  finishReason,
}: Pick<ProviderResponseRecord, "error" | "finishReason">): boolean =>
  error === undefined && finishReason !== "error" && finishReason !== "aborted";

/**
 * Turn and attempt of the next request on a branch, from its records alone: after a completed response a new turn, after
 * a failed or abandoned request (one without a response) the next attempt of the same turn.
 */
export const nextIdentity = (branch: readonly SessionEntry[]): TurnIdentity => {
  const at = branch.findLastIndex(isRequest);
  const [last] = requestRecords(branch.slice(at, at + 1));
  if (last === undefined) return { turn: 0, attempt: 0 };
  const response = responseRecords(branch.slice(at)).find(({ requestId }) => requestId === last.requestId);
  return response !== undefined && completed(response)
    ? { turn: last.turn + 1, attempt: 0 }
    : { turn: last.turn, attempt: last.attempt + 1 };
};
