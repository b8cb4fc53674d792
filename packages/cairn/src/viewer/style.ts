import type { colours, Row } from "./layout.ts";

/** Hue and chroma by category; the lightness follows the colour scheme, so that both have enough contrast. */
const hues: Record<(typeof colours)[number] | "other", readonly [hue: number, chroma: number]> = {
  prompt: [300, 0.14],
  reason: [285, 0.09],
  read: [235, 0.12],
  write: [145, 0.13],
  exec: [65, 0.13],
  search: [205, 0.1],
  test: [110, 0.12],
  net: [265, 0.14],
  tool: [185, 0.09],
  meta: [260, 0.02],
  fail: [25, 0.17],
  other: [340, 0.1],
};

const colourRules = Object.entries(hues)
  .map(([name, [hue, chroma]]) => `.c-${name}{--c:oklch(var(--cl) ${chroma} ${hue})}`)
  .join("\n");

/** The bars' places. A page may carry no style attribute under its policy, so each bar has a rule. */
export const barRules = (rows: readonly Row[]): string =>
  rows
    .map(({ anchor, leftPercent, widthPercent }) => `.${anchor}{left:${leftPercent}%;width:${widthPercent}%}`)
    .join("\n");

export const baseStyle = `
:root {
  color-scheme: light dark;
  --bg: #fbfbfa; --panel: #ffffff; --line: #e3e3df; --text: #1b1c1f; --dim: #5d6068; --link: #1a56b0;
  --track: #f1f1ee; --hover: #f4f5f7; --cl: 0.58;
  --mono: ui-monospace, "JetBrains Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0a0b0d; --panel: #121418; --line: #24272e; --text: #e6e7ea; --dim: #9a9ea8; --link: #8ab4ff;
    --track: #181b20; --hover: #191c22; --cl: 0.74;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--bg); color: var(--text);
  font: 15px/1.5 system-ui, "IBM Plex Sans", "Segoe UI", "Noto Sans", sans-serif;
}
main, body > header, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.5rem; }
body > header { padding-top: 2.25rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 0.5rem; }
h1 { margin: 0.35rem 0 0; font-size: 1.6rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { margin: 2.25rem 0 0.75rem; font-size: 1rem; font-weight: 650; }
.kind { margin: 0; color: var(--dim); font: 600 0.75rem/1 var(--mono); letter-spacing: 0.08em; text-transform: uppercase; }
.agent { unicode-bidi: isolate; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: 0.75rem 2.25rem; margin: 1.25rem 0 0; padding: 0.9rem 1.1rem;
  background: var(--panel); border: 1px solid var(--line); border-radius: 10px; }
.facts div { min-width: 0; }
dt { color: var(--dim); font-size: 0.78rem; }
dd { margin: 0; font-weight: 550; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
pre { margin: 0.5rem 0 0; padding: 0.75rem 0.9rem; max-height: 26rem; overflow: auto; background: var(--track);
  border: 1px solid var(--line); border-radius: 8px; font: 0.82rem/1.55 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
ol, ul { list-style: none; margin: 0; padding: 0; }
.legend { display: flex; flex-wrap: wrap; gap: 0.3rem 1.1rem; margin: 0 0 0.75rem; color: var(--dim); font-size: 0.82rem; }
.swatch { display: inline-block; width: 0.7em; height: 0.7em; margin-right: 0.45em; border-radius: 2px; background: var(--c); }
.waterfall { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.ruler, .waterfall a { display: grid; grid-template-columns: minmax(9rem, 19rem) 1fr 5.5rem; gap: 0 0.9rem; padding: 0 0.9rem; align-items: center; }
.ruler { border-bottom: 1px solid var(--line); color: var(--dim); font-size: 0.75rem; padding-top: 0.4rem; padding-bottom: 0.4rem; font-variant-numeric: tabular-nums; }
.ticks { display: flex; justify-content: space-between; }
.ruler > :last-child, .took { text-align: right; }
.waterfall a { min-height: 1.85rem; color: inherit; text-decoration: none; }
.waterfall a:hover, .waterfall a:focus-visible { background: var(--hover); outline-offset: -2px; }
.label { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 0.85rem; }
.label .what { color: var(--dim); margin-right: 0.5em; font: 0.75rem var(--mono); }
.d1 { padding-left: 1rem; } .d2 { padding-left: 2rem; } .d3 { padding-left: 3rem; } .d4 { padding-left: 4rem; }
.track { position: relative; height: 1.85rem; background:
  repeating-linear-gradient(90deg, var(--line) 0 1px, transparent 1px 25%); border-right: 1px solid var(--line); }
.bar { position: absolute; top: 0.5rem; height: 0.85rem; min-width: 3px; border-radius: 3px; background: var(--c); }
.point { position: absolute; top: 0.58rem; width: 0.65rem !important; height: 0.65rem; margin-left: -0.32rem; background: var(--c); transform: rotate(45deg); border-radius: 2px; }
.took { color: var(--dim); font-size: 0.8rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.events > li { padding: 0.85rem 1.1rem; background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--c); border-radius: 8px; margin-bottom: 0.55rem; scroll-margin-top: 1rem; }
.events > li:target { border-color: var(--c); box-shadow: 0 0 0 1px var(--c); }
.events h3 { margin: 0; font-size: 0.95rem; font-weight: 600; overflow-wrap: anywhere; }
.meta { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 0.15rem; color: var(--dim); font-size: 0.8rem; font-variant-numeric: tabular-nums; }
.meta .category { color: var(--text); font: 0.75rem/1.6 var(--mono); }
.none { margin: 0.2rem 0 0; color: var(--dim); font-size: 0.85rem; }
.args { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.5rem 0 0; padding: 0.6rem 0.9rem;
  max-height: 26rem; overflow: auto; background: var(--track); border: 1px solid var(--line); border-radius: 8px; font: 0.82rem/1.55 var(--mono); }
.args dt { font-size: inherit; }
.args dd { font-weight: inherit; white-space: pre-wrap; }
summary { cursor: pointer; color: var(--dim); font-size: 0.82rem; width: fit-content; margin-top: 0.4rem; }
.prompt-text { margin-top: 1.25rem; }
footer { padding-top: 1.5rem; padding-bottom: 3rem; color: var(--dim); font-size: 0.82rem; }
@media (max-width: 40rem) {
  .ruler, .waterfall a { grid-template-columns: minmax(6rem, 40%) 1fr; }
  .took, .ruler > :last-child { display: none; }
  main, body > header, footer { padding-left: 1rem; padding-right: 1rem; }
}
@media print { .events pre { max-height: none; } }
${colourRules}
`;
