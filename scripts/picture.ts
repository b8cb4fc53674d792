/**
 * Draws text from a terminal as an SVG: `npm run demo | … ` is what the README's picture is made of.
 * Usage: `node scripts/picture.ts TITLE < text > picture.svg`. Colours come from SGR codes 1, 2 and 31 to 36.
 */
import { text } from "node:stream/consumers";

const COLOURS: Readonly<Record<string, string>> = {
  "31": "#ff7b72",
  "32": "#7ee787",
  "33": "#e3b341",
  "34": "#79c0ff",
  "35": "#d2a8ff",
  "36": "#56d4dd",
};
const LINE_HEIGHT = 19;
const CHARACTER_WIDTH = 8.0;
const MARGIN = 18;
const TITLE_HEIGHT = 34;

const escapeXml = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const styleOf = (codes: ReadonlySet<string>): string => {
  const colour = [...codes].map((code) => COLOURS[code]).find((found) => found !== undefined);
  return [
    colour === undefined ? "" : ` fill="${colour}"`,
    codes.has("1") ? ' font-weight="bold"' : "",
    codes.has("2") ? ' opacity="0.65"' : "",
  ].join("");
};

/** One line of a terminal as `<tspan>`s. */
const drawLine = (line: string): string => {
  const codes = new Set<string>();
  // oxlint-disable-next-line no-control-regex -- escape sequences are what is read here
  return line.split(/(\u001B\[[\d;]*m)/).reduce((drawn, part) => {
    const sequence = part.startsWith("\u001B[") ? part.slice(2, -1) : undefined;
    if (sequence === undefined)
      return part === "" ? drawn : `${drawn}<tspan${styleOf(codes)}>${escapeXml(part)}</tspan>`;
    for (const code of sequence.split(";")) {
      if (code === "" || code === "0") codes.clear();
      else if (code === "22") ["1", "2"].forEach((set) => codes.delete(set));
      else if (code === "39") Object.keys(COLOURS).forEach((set) => codes.delete(set));
      else codes.add(code);
    }
    return drawn;
  }, "");
};

// oxlint-disable-next-line no-control-regex -- escape sequences are what is read here
const plain = (line: string): string => line.replaceAll(/\u001B\[[\d;]*m/g, "");

const draw = (title: string, lines: readonly string[]): string => {
  const columns = Math.max(...lines.map((line) => plain(line).length), 40);
  const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * MARGIN);
  const height = TITLE_HEIGHT + lines.length * LINE_HEIGHT + MARGIN;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `<circle cx="${MARGIN + index * 18}" cy="17" r="5.5" fill="${fill}"/>`,
  );
  const rows = lines.map(
    (line, index) =>
      `<text x="${MARGIN}" y="${TITLE_HEIGHT + (index + 1) * LINE_HEIGHT - 5}" xml:space="preserve">${drawLine(line)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">`,
    `<rect width="${width}" height="${height}" rx="9" fill="#0d1117"/>`,
    ...dots,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13.3" fill="#e6edf3">`,
    ...rows,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
};

const lines = (await text(process.stdin)).trimEnd().split("\n");
process.stdout.write(draw(process.argv[2] ?? "terminal", lines));
