import { html } from "hono/html";
import type { RunView } from "../run/view.ts";
import { formatDuration } from "./format.ts";
import { colourOf, labelOf, type Row } from "./layout.ts";
import type { Markup } from "./markup.ts";

/** The spans as bars over time. Each row says in words what its bar shows, and leads to its event. */
export const waterfall = (view: RunView, rows: readonly Row[]): Markup => {
  if (rows.length === 0) return html`<p class="none">This run has no spans.</p>`;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(view.stats.wall_time_ms * part));
  return html`<ul class="legend" aria-label="Categories, with the time spent in each">
      ${Object.entries(view.stats.time_by_category_ms).map(([category, ms]) => legendEntry(category, ms))}
    </ul>
    <div class="waterfall">
      <div class="ruler" aria-hidden="true">
        <span>Span</span>
        <span class="ticks">${ticks.map((ms) => html`<span>${formatDuration(ms)}</span>`)}</span>
        <span>Took</span>
      </div>
      <ol>
        ${rows.map(waterfallRow)}
      </ol>
    </div>`;
};

const legendEntry = (category: string, ms: number): Markup =>
  html`<li>
    <span class="swatch ${colourOf(category)}"></span><span class="agent">${category}</span>
    ${ms === 0 ? "" : formatDuration(ms)}
  </li>`;

/** Deeper levels are drawn at the same indent. */
const MAX_INDENT = 4;

const waterfallRow = ({ span, anchor, colour, startMs, durationMs }: Row): Markup => {
  const took = durationMs === undefined ? "" : formatDuration(durationMs);
  const starts = span.start_offset_ms === undefined ? "" : `, starts at ${formatDuration(startMs)}`;
  const words = `${starts}${took === "" ? "" : `, took ${took}`}`;
  const shape = durationMs === undefined ? "point" : "bar";
  return html`<li>
    <a href="#${anchor}">
      <span class="label d${Math.min(span.depth, MAX_INDENT)}"
        ><span class="what agent">${span.tool ?? span.category}</span
        ><span class="agent">${labelOf(span)}</span><span class="said">${words}</span></span
      >
      <span class="track" aria-hidden="true"><span class="${shape} ${anchor} ${colour}"></span></span>
      <span class="took" aria-hidden="true">${took}</span>
    </a>
  </li>`;
};
