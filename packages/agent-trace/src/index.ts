export type * from "./agent.ts";
export type * from "./item.ts";
export type * from "./reader.ts";
export { agentNamed, agents } from "./agents/registry.ts";
export {
  createLineSplitter,
  LINE_LIMIT_BYTES,
  type DroppedLine,
  type LineSplitter,
  type SplitLine,
  type SplitterOptions,
  type TextLine,
} from "./lines.ts";
export { ATIF_VERSION, toAtif, type AtifTrajectory } from "./atif/index.ts";
export { droppedLineMarker } from "./marker.ts";
export { createNormalizer, type Normalizer, type NormalizerOptions } from "./normalize.ts";
export { costOf, parsePriceTable, priceOf, type ModelPrice, type PriceTable } from "./price/prices.ts";
export { reconcile, type Reconciliation } from "./price/reconcile.ts";
export { pinnedPrices } from "./price/table.ts";
export { filesOf, locateSessions, type FoundFile } from "./read/find.ts";
export { readPath, type ReadOptions, type ReadReport } from "./read/read-path.ts";
export { follow, type FollowOptions } from "./tail/follow.ts";
export { Tailer, type PollReport, type TailerOptions } from "./tail/tailer.ts";
export { addTokens, billed, costOfUsage, type Cost } from "./totals/billed.ts";
export { errorsOf, RecordFold, type SessionRecord } from "./totals/fold.ts";
export { summaryOf, usageBy, type Grouping, type SessionSummary, type UsageRow } from "./totals/summary.ts";
export {
  buildTrace,
  GEN_AI_CONVENTIONS,
  toOtlp,
  type OtlpTrace,
  type Span,
  type SpanEvent,
  type Trace,
} from "./otel/index.ts";
