import { randomBytes } from "node:crypto";
import type { Provenance, Run, Span } from "../run/run.ts";
import { wallTimeMs } from "../run/tree.ts";
import type { Masker } from "./mask.ts";
import type { RunBody, SpanBody } from "./schema.ts";

export interface Ingest {
  actor: Provenance["actor"];
  now: Date;
  /** Milliseconds that a run is kept. */
  keepMs: number;
}

/**
 * A run to store, made from a valid body: masked, with all that the server says itself.
 * @throws {ApiError} when an id holds a secret.
 */
export const runFrom = (body: RunBody, masker: Masker, { actor, now, keepMs }: Ingest): Run => {
  const startedAt = body.started_at === undefined ? now : new Date(body.started_at);
  const spans = (body.spans ?? []).map((span, seq) => spanFrom(span, seq, masker));
  return {
    id: newRunId(),
    status: "closed",
    ...masked(masker, { title: body.title, prompt: body.prompt, model: body.model }),
    ...(body.token_count === undefined ? {} : { tokenCount: body.token_count }),
    provenance: {
      actor,
      ...masked(masker, { onBehalfOf: body.on_behalf_of }),
      channel: "api",
      capturedAt: now.toISOString(),
    },
    startedAt: startedAt.toISOString(),
    endedAt: endOf(startedAt, wallTimeMs({ spans })).toISOString(),
    expiresAt: new Date(now.getTime() + keepMs).toISOString(),
    spans,
  };
};

const spanFrom = (span: SpanBody, seq: number, masker: Masker): Span => {
  const id = (key: "span_id" | "parent_span_id" | "produced_artifact_id", value: string): string =>
    masker.id(value, `spans[${seq}].${key}`);
  return {
    spanId: id("span_id", span.span_id),
    ...(span.parent_span_id === undefined ? {} : { parentSpanId: id("parent_span_id", span.parent_span_id) }),
    seq,
    category: masker.text(span.category),
    ...masked(masker, { name: span.name, tool: span.tool }),
    ...(span.args === undefined ? {} : { args: masker.json(span.args) }),
    ...(span.output === undefined
      ? {}
      : { output: masker.output(span.output, span.output_truncated ?? false) }),
    ...(span.start_offset_ms === undefined ? {} : { startOffsetMs: span.start_offset_ms }),
    ...(span.duration_ms === undefined ? {} : { durationMs: span.duration_ms }),
    ...(span.produced_artifact_id === undefined
      ? {}
      : { producedArtifactId: id("produced_artifact_id", span.produced_artifact_id) }),
  };
};

const masked = <K extends string>(
  masker: Masker,
  fields: Record<K, string | undefined>,
): { [P in K]?: string } => {
  const out: { [P in K]?: string } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) out[key] = masker.text(value);
  }
  return out;
};

/** 128 random bits in 25 characters of `0-9a-z`. */
const newRunId = (): string =>
  BigInt(`0x${randomBytes(16).toString("hex")}`)
    .toString(36)
    .padStart(25, "0");

/** The last moment a date can hold, where the offsets would lead beyond it. */
const LAST = 8.64e15;

const endOf = (start: Date, wallMs: number): Date => new Date(Math.min(start.getTime() + wallMs, LAST));
