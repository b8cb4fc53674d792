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
export { droppedLineMarker } from "./marker.ts";
export { createNormalizer, type Normalizer, type NormalizerOptions } from "./normalize.ts";
