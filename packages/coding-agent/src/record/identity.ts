import type { SessionEntry } from "../session/entry.ts";
import {
  PROVIDER_REQUEST_ENTRY,
  PROVIDER_RESPONSE_ENTRY,
  type ProviderRequestRecord,
  type ProviderResponseRecord,
} from "./types.ts";

export interface TurnIdentity {
  turn: number;
  attempt: number;
}

const isRequest = (
  entry: SessionEntry,
): entry is Extract<SessionEntry, { customType: typeof PROVIDER_REQUEST_ENTRY }> & { data: ProviderRequestRecord } =>
  entry.type === "custom" && entry.customType === PROVIDER_REQUEST_ENTRY;

const isResponse = (
  entry: SessionEntry,
): entry is Extract<SessionEntry, { customType: typeof PROVIDER_RESPONSE_ENTRY }> & { data: ProviderResponseRecord } =>
  entry.type === "custom" && entry.customType === PROVIDER_RESPONSE_ENTRY;

/** The request records among entries, in order. */
export const requestRecords = (entries: readonly SessionEntry[]): ProviderRequestRecord[] =>
  entries.filter(isRequest).map((entry) => entry.data);

/** The response records among entries, in order. */
export const responseRecords = (entries: readonly SessionEntry[]): ProviderResponseRecord[] =>
  entries.filter(isResponse).map((entry) => entry.data);

/** Whether a request is over and its turn with it. */
export const completed = ({ error, finishReason }: Pick<ProviderResponseRecord, "error" | "finishReason">): boolean =>
  error === undefined && finishReason !== "error" && finishReason !== "aborted";

/**
 * Turn and attempt of the next request on a branch, from its records alone: after a completed response a new turn, after
 * a failed or abandoned request (one without a response) the next attempt of the same turn.
 */
export const nextIdentity = (branch: readonly SessionEntry[]): TurnIdentity => {
  const last = requestRecords(branch).at(-1);
  if (last === undefined) return { turn: 0, attempt: 0 };
  const response = responseRecords(branch).find(({ requestId }) => requestId === last.requestId);
  return response !== undefined && completed(response)
    ? { turn: last.turn + 1, attempt: 0 }
    : { turn: last.turn, attempt: last.attempt + 1 };
};
