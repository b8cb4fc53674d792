export { buildTrace, GEN_AI_CONVENTIONS, type Span, type SpanEvent, type Trace } from "./trace.ts";
export { toOtlp, type OtlpTrace } from "./otlp.ts";
