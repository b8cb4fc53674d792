import type { Run, Span } from "./run.ts";

/** A span with those under it. */
export interface SpanNode {
  span: Span;
  /** 0 for a span without a parent. */
  depth: number;
  children: SpanNode[];
  /** Milliseconds from the start of the run. A span that does not say when it began stands where its parent begins. */
  startMs: number;
  endMs: number;
}

/** The spans of a run as trees, roots and children in the order of `seq`. Parents may come later than their children. */
export const spanTree = (spans: readonly Span[]): SpanNode[] => {
  const children = new Map<string | undefined, Span[]>();
  for (const span of [...spans].sort((a, b) => a.seq - b.seq)) {
    const siblings = children.get(span.parentSpanId);
    if (siblings === undefined) children.set(span.parentSpanId, [span]);
    else siblings.push(span);
  }
  // Recursion is safe: ingest bounds the depth and refuses cycles.
  const nodesUnder = (parent: SpanNode | undefined): SpanNode[] =>
    (children.get(parent?.span.spanId) ?? []).map((span) => {
      const startMs = span.startOffsetMs ?? parent?.startMs ?? 0;
      const node: SpanNode = {
        span,
        depth: parent === undefined ? 0 : parent.depth + 1,
        children: [],
        startMs,
        endMs: startMs + (span.durationMs ?? 0),
      };
      node.children = nodesUnder(node);
      return node;
    });
  return nodesUnder(undefined);
};

/** Every node, each before those under it. */
export const flatten = (nodes: readonly SpanNode[]): SpanNode[] =>
  nodes.flatMap((node) => [node, ...flatten(node.children)]);

/** Milliseconds from the start of a run to the end of its last span. */
export const wallTimeMs = (run: Pick<Run, "spans">): number =>
  flatten(spanTree(run.spans)).reduce((latest, node) => Math.max(latest, node.endMs), 0);
