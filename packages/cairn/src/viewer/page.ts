import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import type { RunView } from "../run/view.ts";
import { events } from "./events.ts";
import { formatCount, formatDuration, formatTime } from "./format.ts";
import { layOut } from "./layout.ts";
import type { Markup } from "./markup.ts";
import { barRules, baseStyle } from "./style.ts";
import { waterfall } from "./waterfall.ts";

/** A document and the policy it has to be served with. */
export interface Page {
  html: string;
  /** Lets in the page's own style by its hash, and nothing else: no script, no image, no request. */
  contentSecurityPolicy: string;
}

/** A run for people to look at. The same run always gives the same page. */
export const runPage = async (view: RunView): Promise<Page> => {
  const rows = layOut(view);
  const title = view.title ?? "Untitled run";
  return document(
    title,
    `${baseStyle}\n${barRules(rows)}\n`,
    html`<a class="skip" href="#events">Skip to the events</a>
      <header>
        <p class="kind">Trace</p>
        <h1 class="agent">${title}</h1>
        <dl class="facts">
          ${facts(view).map(
            ([name, value]) =>
              html`<div>
                <dt>${name}</dt>
                <dd class="agent">${value}</dd>
              </div>`,
          )}
        </dl>
      </header>
      <main>
        ${prompt(view)}
        <section aria-labelledby="timeline">
          <h2 id="timeline">Timeline</h2>
          ${waterfall(view, rows)}
        </section>
        <section aria-labelledby="events">
          <h2 id="events">Events</h2>
          ${events(view, rows)}
        </section>
      </main>
      <footer>
        Secrets were masked before this run was stored. Whoever has this address can read it until
        ${formatTime(view.expires_at)}.
      </footer>`,
  );
};

/** What an unknown and an expired run look like, the same for both. */
export const missingPage = async (): Promise<Page> =>
  document(
    "Nothing here",
    baseStyle,
    html`<header>
        <p class="kind">Trace</p>
        <h1>There is nothing here</h1>
      </header>
      <main><p>The address is wrong, or the run has expired.</p></main>`,
  );

const facts = (view: RunView): [string, string][] => {
  const { stats, provenance } = view;
  const all: [string, string | undefined][] = [
    ["Status", view.status === "closed" ? "finished" : "still running"],
    ["Model", view.model],
    ["Wall time", formatDuration(stats.wall_time_ms)],
    ["Tokens", stats.token_count === undefined ? undefined : formatCount(stats.token_count)],
    ["Tool calls", formatCount(stats.tool_call_count)],
    ["Spans", formatCount(stats.span_count)],
    ["Started", formatTime(view.started_at)],
    ["On behalf of", provenance.on_behalf_of],
  ];
  return all.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]));
};

const prompt = (view: RunView): Markup | string =>
  view.prompt === undefined
    ? ""
    : html`<section class="prompt-text" aria-labelledby="prompt">
        <h2 id="prompt">Prompt</h2>
        <pre class="agent" tabindex="0">${view.prompt}</pre>
      </section>`;

const document = async (title: string, style: string, body: Markup): Promise<Page> => {
  const hash = createHash("sha256").update(style).digest("base64");
  // Only the style is raw: our own text, and numbers. In one piece, because the hash is over every character of it.
  const element = `<style>${style}</style>`;
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Cairn</title>
        ${raw(element)}
      </head>
      <body>
        ${body}
      </body>
    </html>`;
  return {
    html: page.toString(),
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
};
