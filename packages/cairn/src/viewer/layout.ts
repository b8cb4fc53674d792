import type { RunView, SpanView } from "../run/view.ts";

/** A span with its place in the waterfall. */
export interface Row {
  span: SpanView;
  /** Anchor of its event. */
  anchor: string;
  /** A class of the colour table. */
  colour: string;
  startMs: number;
  /** Undefined for a point in time: a prompt, or a span that does not say how long it took. */
  durationMs: number | undefined;
  /** Of the wall time, 0 to 100. */
  leftPercent: number;
  widthPercent: number;
}

/** Categories with a colour of their own; any other has the colour of `other`. */
export const colours = [
  "prompt",
  "reason",
  "read",
  "write",
  "exec",
  "search",
  "test",
  "net",
  "tool",
  "meta",
  "fail",
] as const;

/** The class of a category: a word of ours, never the client's. */
export const colourOf = (category: string): string =>
  `c-${colours.find((known) => known === category) ?? "other"}`;

/** Every span of the run, each before those under it, with places that depend on the run alone. */
export const layOut = (view: RunView): Row[] => {
  const wallMs = Math.max(view.stats.wall_time_ms, 1);
  const percent = (ms: number): number => Math.min(100, Math.max(0, Math.round((ms / wallMs) * 1e5) / 1e3));
  const place = (spans: readonly SpanView[], parentStartMs: number): Row[] =>
    spans.flatMap((span) => {
      const startMs = span.start_offset_ms ?? parentStartMs;
      const durationMs = span.category === "prompt" ? undefined : span.duration_ms;
      const row: Row = {
        span,
        anchor: `s${span.seq}`,
        colour: colourOf(span.category),
        startMs,
        durationMs,
        leftPercent: percent(startMs),
        widthPercent: percent(durationMs ?? 0),
      };
      return [row, ...place(span.children, startMs)];
    });
  return place(view.spans, 0);
};

/** What a reader calls the span by. */
export const labelOf = (span: SpanView): string => span.name ?? span.tool ?? span.category;
