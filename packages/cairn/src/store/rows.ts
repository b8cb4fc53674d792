import type { JsonValue, Output, Provenance, Run, Span } from "../run/run.ts";

/** What the columns of a row hold, in any of the databases. */
type Column = string | number | Uint8Array | null;
type Row = Readonly<Record<string, unknown>>;

export const runRow = (run: Run): Record<string, Column> => ({
  id: run.id,
  status: run.status,
  title: run.title ?? null,
  prompt: run.prompt ?? null,
  model: run.model ?? null,
  token_count: run.tokenCount ?? null,
  actor: run.provenance.actor,
  on_behalf_of: run.provenance.onBehalfOf ?? null,
  channel: run.provenance.channel,
  captured_at: run.provenance.capturedAt,
  started_at: run.startedAt,
  ended_at: run.endedAt ?? null,
  expires_at: run.expiresAt,
});

export const spanRow = (runId: string, span: Span): Record<string, Column> => ({
  run_id: runId,
  seq: span.seq,
  span_id: span.spanId,
  parent_span_id: span.parentSpanId ?? null,
  category: span.category,
  name: span.name ?? null,
  tool: span.tool ?? null,
  args: span.args === undefined ? null : JSON.stringify(span.args),
  start_offset_ms: span.startOffsetMs ?? null,
  duration_ms: span.durationMs ?? null,
  produced_artifact_id: span.producedArtifactId ?? null,
  output_sha256: span.output?.sha256 ?? null,
  output_size: span.output?.size ?? null,
  output_truncated: span.output === undefined ? null : Number(span.output.truncated),
});

/** @throws when the output has no bytes: what is stored must be whole. */
export const outputRow = (runId: string, output: Output): Record<string, Column> => {
  if (output.bytes === undefined) throw new Error("an output without its bytes cannot be stored");
  return { run_id: runId, sha256: output.sha256, bytes: output.bytes };
};

/** @param spans rows of the span table with the column `output_bytes` joined on, in order. */
export const runFromRows = (row: Row, spans: readonly Row[]): Run => ({
  id: text(row, "id"),
  status: row["status"] === "open" ? "open" : "closed",
  ...optional("title", textOrNot(row, "title")),
  ...optional("prompt", textOrNot(row, "prompt")),
  ...optional("model", textOrNot(row, "model")),
  ...optional("tokenCount", numberOrNot(row, "token_count")),
  provenance: provenance(row),
  startedAt: text(row, "started_at"),
  ...optional("endedAt", textOrNot(row, "ended_at")),
  expiresAt: text(row, "expires_at"),
  spans: spans.map(spanFromRow),
});

const provenance = (row: Row): Provenance => ({
  actor: row["actor"] === "token" ? "token" : "loopback",
  ...optional("onBehalfOf", textOrNot(row, "on_behalf_of")),
  channel: "api",
  capturedAt: text(row, "captured_at"),
});

const spanFromRow = (row: Row): Span => ({
  spanId: text(row, "span_id"),
  ...optional("parentSpanId", textOrNot(row, "parent_span_id")),
  seq: Number(row["seq"]),
  category: text(row, "category"),
  ...optional("name", textOrNot(row, "name")),
  ...optional("tool", textOrNot(row, "tool")),
  ...optional("args", args(row)),
  ...optional("output", outputFromRow(row)),
  ...optional("startOffsetMs", numberOrNot(row, "start_offset_ms")),
  ...optional("durationMs", numberOrNot(row, "duration_ms")),
  ...optional("producedArtifactId", textOrNot(row, "produced_artifact_id")),
});

const args = (row: Row): JsonValue | undefined => {
  const json = textOrNot(row, "args");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse can give is just what JsonValue says
  return json === undefined ? undefined : (JSON.parse(json) as JsonValue);
};

const outputFromRow = (row: Row): Output | undefined => {
  const sha256 = textOrNot(row, "output_sha256");
  if (sha256 === undefined) return undefined;
  const bytes = row["output_bytes"];
  return {
    sha256,
    size: Number(row["output_size"]),
    truncated: Number(row["output_truncated"]) === 1,
    ...(bytes instanceof Uint8Array ? { bytes } : {}),
  };
};

const text = (row: Row, column: string): string => {
  const value = row[column];
  if (typeof value !== "string") throw new Error(`the column ${column} holds no text`);
  return value;
};

const textOrNot = (row: Row, column: string): string | undefined => {
  const value = row[column];
  return typeof value === "string" ? value : undefined;
};

const numberOrNot = (row: Row, column: string): number | undefined => {
  const value = row[column];
  return value === null || value === undefined ? undefined : Number(value);
};

const optional = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key is typed as any string
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
