import { html } from "hono/html";
import type { JsonValue } from "../run/run.ts";
import type { RunView, SpanView } from "../run/view.ts";
import { formatBytes, formatDuration } from "./format.ts";
import { labelOf, type Row } from "./layout.ts";
import type { Markup } from "./markup.ts";

/** What happened, one after the other, with what each was given and gave back. */
export const events = (view: RunView, rows: readonly Row[]): Markup =>
  html`<ol class="events">
    ${rows.map((row) => event(view, row))}
  </ol>`;

const event = (view: RunView, { span, anchor, colour, startMs, durationMs }: Row): Markup => {
  const args = span.args === undefined ? undefined : argsBlock(span.args);
  const output = outputBlock(view, span);
  const produced = span.produced_artifact_ids.map(
    (id) => html`<p class="none">Produced the artifact <code class="agent">${id}</code>.</p>`,
  );
  const empty = args === undefined && output === undefined && produced.length === 0;
  return html`<li id="${anchor}" class="${colour}">
    <p class="meta">
      <span class="category agent">${span.category}</span>
      ${span.start_offset_ms === undefined ? "" : html`<span>at ${formatDuration(startMs)}</span>`}
      ${durationMs === undefined ? "" : html`<span>took ${formatDuration(durationMs)}</span>`}
      ${span.tool === undefined ? "" : html`<span>tool <code class="agent">${span.tool}</code></span>`}
    </p>
    <h3 class="agent">${labelOf(span)}</h3>
    ${args ?? ""} ${output ?? ""} ${produced}
    ${empty ? html`<p class="none">No arguments and no output were recorded.</p>` : ""}
  </li>`;
};

/** Short arguments lie open; long ones open on demand. */
const OPEN_CHARACTERS = 400;

const argsBlock = (args: JsonValue): Markup => {
  const text = JSON.stringify(args, undefined, 2);
  return html`<details ${text.length <= OPEN_CHARACTERS ? "open" : ""}>
    <summary>Arguments</summary>
    ${flatArgs(args) ?? html`<pre class="agent" tabindex="0">${text}</pre>`}
  </details>`;
};

/** Name and value of each argument, where no value holds others: a command reads better without JSON's escapes. */
const flatArgs = (args: JsonValue): Markup | undefined => {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  const entries = Object.entries(args);
  if (entries.length === 0 || entries.some(([, value]) => typeof value === "object")) return undefined;
  return html`<dl class="args">
    ${entries.map(
      ([name, value]) =>
        html`<dt class="agent">${name}</dt>
          <dd class="agent">${typeof value === "string" ? value : JSON.stringify(value)}</dd>`,
    )}
  </dl>`;
};

const outputBlock = (view: RunView, span: SpanView): Markup | undefined => {
  const truncated = (span.output_ref?.truncated ?? span.output_truncated) ? ", cut by its sender" : "";
  if (span.output_ref !== undefined) {
    const href = `/v1/runs/${view.id}/spans/${encodeURIComponent(span.span_id)}/output`;
    return html`<p class="none">
      <a href="${href}">Fetch the output</a>, ${formatBytes(span.output_ref.size)}${truncated}
    </p>`;
  }
  if (span.output === undefined) return undefined;
  const bytes = Buffer.from(span.output, "base64");
  return html`<details>
    <summary>Output, ${formatBytes(bytes.length)}${truncated}</summary>
    <pre class="agent" tabindex="0">${bytes.toString("utf8")}</pre>
  </details>`;
};
