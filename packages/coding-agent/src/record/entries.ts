import type { SessionEntry } from "../session/entry.ts";
import {
  PROVIDER_REQUEST_ENTRY,
  PROVIDER_RESPONSE_ENTRY,
  type ProviderRequestRecord,
  type ProviderResponseRecord,
  TOOL_AUDIT_ENTRY,
  type ToolAuditRecord,
} from "./types.ts";

/** An entry that holds one of our records: its type says which. */
type RecordEntry<Type, Data> = SessionEntry & { type: "custom"; customType: Type; data: Data };

/** Whether an entry is the record of a request. */
export const isRequest = (
  entry: SessionEntry,
): entry is RecordEntry<typeof PROVIDER_REQUEST_ENTRY, ProviderRequestRecord> =>
  entry.type === "custom" && entry.customType === PROVIDER_REQUEST_ENTRY;

const isResponse = (
  entry: SessionEntry,
): entry is RecordEntry<typeof PROVIDER_RESPONSE_ENTRY, ProviderResponseRecord> =>
  entry.type === "custom" && entry.customType === PROVIDER_RESPONSE_ENTRY;

const isAudit = (entry: SessionEntry): entry is RecordEntry<typeof TOOL_AUDIT_ENTRY, ToolAuditRecord> =>
  entry.type === "custom" && entry.customType === TOOL_AUDIT_ENTRY;

/**
 * An entry without the bodies of requests and responses, which are most of a session and needed by nobody who goes on
 * with it.
 */
export const withoutBodies = (entry: SessionEntry): SessionEntry => {
  if (isRequest(entry)) {
    const { body: _, ...data }: ProviderRequestRecord = entry.data;
    return { ...entry, data };
  }
  if (isResponse(entry)) {
    const { stream: _, ...data }: ProviderResponseRecord = entry.data;
    return { ...entry, data };
  }
  return entry;
};

/** As `withoutBodies`, and without the name of the file that a large body lies in. */
export const withoutStoredBodies = (entry: SessionEntry): SessionEntry => {
  if (!isRequest(entry)) return withoutBodies(entry);
  const { body: _body, bodyPath: _path, ...data }: ProviderRequestRecord = entry.data;
  return { ...entry, data };
};

/** The request records among entries, in order. */
export const requestRecords = (entries: readonly SessionEntry[]): ProviderRequestRecord[] =>
  entries.filter(isRequest).map((entry) => entry.data);

/** The response records among entries, in order. */
export const responseRecords = (entries: readonly SessionEntry[]): ProviderResponseRecord[] =>
  entries.filter(isResponse).map((entry) => entry.data);

/** The audit records among entries, in order. */
export const auditRecords = (entries: readonly SessionEntry[]): ToolAuditRecord[] =>
  entries.filter(isAudit).map((entry) => entry.data);
