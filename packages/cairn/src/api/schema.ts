import { z } from "zod";
import { type JsonValue, limits } from "../run/run.ts";

const count = z.int().min(0);
const id = z.string().min(1).max(256);

/** Anything JSON: the body has been parsed and its depth checked. */
const json = z.custom<JsonValue>((value) => value !== undefined);

/** Bytes in base64 as an encoder writes it, padding included. */
const base64 = z.string().transform((text, context) => {
  const bytes = Buffer.from(text, "base64");
  // Compared, because a decoder skips what it does not know, and a pattern is slow on megabytes.
  if (bytes.toString("base64") !== text) context.addIssue({ code: "custom", message: "is not base64" });
  return bytes;
});

const spanSchema = z
  .strictObject({
    span_id: id,
    parent_span_id: id.optional(),
    category: z
      .string()
      .max(64)
      .refine((text) => text.trim() !== "", "must not be blank"),
    name: z.string().optional(),
    tool: z.string().optional(),
    args: json.optional(),
    output: base64.optional(),
    output_truncated: z.boolean().optional(),
    start_offset_ms: count.optional(),
    duration_ms: count.optional(),
    produced_artifact_id: id.optional(),
  })
  .refine((span) => span.category !== "reason" || span.tool === undefined, {
    path: ["tool"],
    error: "not allowed on the category reason",
  })
  .refine((span) => span.category === "write" || span.produced_artifact_id === undefined, {
    path: ["produced_artifact_id"],
    error: "only allowed on the category write",
  })
  .refine((span) => span.output !== undefined || span.output_truncated === undefined, {
    path: ["output_truncated"],
    error: "only allowed with an output",
  });

/** The body of `POST /v1/runs`, field by field. What no field is named after is refused, not dropped. */
export const runSchema = z.strictObject({
  mode: z.enum(["batch", "open"]).default("batch"),
  title: z.string().optional(),
  prompt: z.string().optional(),
  model: z.string().optional(),
  token_count: count.optional(),
  started_at: z.iso.datetime({ offset: true }).optional(),
  on_behalf_of: z.string().optional(),
  spans: z.array(spanSchema).max(limits.spansPerRequest).optional(),
});

export type RunBody = z.output<typeof runSchema>;
export type SpanBody = z.output<typeof spanSchema>;
