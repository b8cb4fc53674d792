import type { Run } from "./run.ts";
import { flatten, type SpanNode, spanTree } from "./tree.ts";

/** What a run comes to. */
export interface Stats {
  /** From the start of the run to the end of its last span. */
  wallTimeMs: number;
  spanCount: number;
  toolCallCount: number;
  /** As the client told it; absent = not known. */
  tokenCount?: number;
  /** Milliseconds by category: each span's own time, without that of the spans under it. */
  timeByCategoryMs: Record<string, number>;
}

/** A span's duration without the time in which a span under it ran. */
const selfTimeMs = (node: SpanNode): number => {
  let covered = 0;
  let upTo = node.startMs;
  for (const child of [...node.children].sort((a, b) => a.startMs - b.startMs)) {
    const from = Math.max(child.startMs, upTo);
    const to = Math.min(child.endMs, node.endMs);
    if (to > from) {
      covered += to - from;
      upTo = to;
    }
  }
  return node.endMs - node.startMs - covered;
};

export const statsOf = (run: Pick<Run, "spans" | "tokenCount">): Stats => {
  const nodes = flatten(spanTree(run.spans));
  const time = new Map<string, number>();
  for (const node of nodes) {
    const { category } = node.span;
    time.set(category, (time.get(category) ?? 0) + selfTimeMs(node));
  }
  return {
    wallTimeMs: nodes.reduce((latest, node) => Math.max(latest, node.endMs), 0),
    spanCount: nodes.length,
    toolCallCount: run.spans.filter((span) => span.tool !== undefined).length,
    ...(run.tokenCount === undefined ? {} : { tokenCount: run.tokenCount }),
    timeByCategoryMs: Object.fromEntries(time),
  };
};
