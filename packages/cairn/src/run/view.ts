import { type JsonValue, limits, type Output, type Run, type Span, type Timestamp } from "./run.ts";
import { statsOf } from "./stats.ts";
import { type SpanNode, spanTree } from "./tree.ts";

/** A run as `GET /v1/runs/:id` answers it. */
export interface RunView {
  id: string;
  url: string;
  /** The run's handle for agents. */
  mcp: string;
  status: "open" | "closed";
  title?: string;
  prompt?: string;
  model?: string;
  token_count?: number;
  provenance: { actor: string; on_behalf_of?: string; channel: string; captured_at: Timestamp };
  started_at: Timestamp;
  ended_at?: Timestamp;
  expires_at: Timestamp;
  stats: StatsView;
  spans: SpanView[];
}

export interface StatsView {
  wall_time_ms: number;
  span_count: number;
  tool_call_count: number;
  token_count?: number;
  time_by_category_ms: Record<string, number>;
}

export interface SpanView {
  span_id: string;
  parent_span_id?: string;
  depth: number;
  seq: number;
  category: string;
  name?: string;
  tool?: string;
  args?: JsonValue;
  /** Base64; only of an output that is small enough. */
  output?: string;
  output_truncated?: boolean;
  /** Of a larger output: it is fetched from `/v1/runs/:id/spans/:span_id/output`. */
  output_ref?: { sha256: string; size: number; truncated: boolean };
  start_offset_ms?: number;
  duration_ms?: number;
  produced_artifact_ids: string[];
  children: SpanView[];
}

/** @param baseUrl where the server is reached from outside, without a slash at the end. */
export const runView = (run: Run, baseUrl: string): RunView => {
  const stats = statsOf(run);
  return {
    id: run.id,
    url: `${baseUrl}/run/${run.id}`,
    mcp: `mcp://cairn/run/${run.id}`,
    status: run.status,
    ...given({ title: run.title, prompt: run.prompt, model: run.model, token_count: run.tokenCount }),
    provenance: {
      actor: run.provenance.actor,
      ...given({ on_behalf_of: run.provenance.onBehalfOf }),
      channel: run.provenance.channel,
      captured_at: run.provenance.capturedAt,
    },
    started_at: run.startedAt,
    ...given({ ended_at: run.endedAt }),
    expires_at: run.expiresAt,
    stats: {
      wall_time_ms: stats.wallTimeMs,
      span_count: stats.spanCount,
      tool_call_count: stats.toolCallCount,
      ...given({ token_count: stats.tokenCount }),
      time_by_category_ms: stats.timeByCategoryMs,
    },
    spans: spanTree(run.spans).map(spanView),
  };
};

const spanView = ({ span, depth, children }: SpanNode): SpanView => ({
  span_id: span.spanId,
  ...given({ parent_span_id: span.parentSpanId }),
  depth,
  seq: span.seq,
  category: span.category,
  ...given({ name: span.name, tool: span.tool, args: span.args }),
  ...outputView(span.output),
  ...given({ start_offset_ms: span.startOffsetMs, duration_ms: span.durationMs }),
  produced_artifact_ids: producedBy(span),
  children: children.map(spanView),
});

const producedBy = (span: Span): string[] =>
  span.producedArtifactId === undefined ? [] : [span.producedArtifactId];

const outputView = (output: Output | undefined): Partial<SpanView> => {
  if (output === undefined) return {};
  const { sha256, size, truncated, bytes } = output;
  if (bytes === undefined || size > limits.inlineOutputBytes) {
    return { output_ref: { sha256, size, truncated } };
  }
  return { output: Buffer.from(bytes).toString("base64"), output_truncated: truncated };
};

/** Without the fields that are undefined: absent is how the interface says "not known". */
const given = <T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } => {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same entries, less those that are undefined
  return Object.fromEntries(present) as { [K in keyof T]?: Exclude<T[K], undefined> };
};
