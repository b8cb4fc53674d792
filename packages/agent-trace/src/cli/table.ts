import { styleText } from "node:util";

export interface Column {
  title: string;
  /** Numbers stand right. */
  right?: boolean;
  /** Never cut: half a number is another one. */
  whole?: boolean;
  /** Takes what room the others leave; its cells are cut. */
  wide?: boolean;
  /** Its cells are cut at their front: the end of a path says more than its beginning. */
  tail?: boolean;
  /** Least width that it is cut to. */
  least?: number;
}

/** The terminal's width, 80 where there is none. */
export const terminalWidth = (): number => process.stdout.columns ?? 80;

/** Whether stdout shows colours: a terminal, and nobody said no. */
const colours = (): boolean => process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "";

export const bold = (text: string): string => (colours() ? styleText("bold", text) : text);
export const dim = (text: string): string => (colours() ? styleText("dim", text) : text);

/** Columns that a text takes; wide East Asian characters and emoji take two. */
const widthOf = (text: string): number => {
  let width = 0;
  for (const point of text)
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        point,
      )
        ? 2
        : /\p{Mn}/u.test(point)
          ? 0
          : 1;
  return width;
};

/** The text, cut to a width; the cut is shown. */
export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let taken = 0;
  for (const point of text) {
    taken += widthOf(point);
    if (taken > width - 1) break;
    kept += point;
  }
  return `${kept}…`;
};

/** Parts one behind the other, on as many lines of the width as they take. */
export const wrapped = (parts: readonly string[], width: number): string => {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ""} · ${part}`;
    if (lines.length > 0 && widthOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(part);
  }
  return lines.join("\n");
};

const reversed = (text: string): string => Array.from(text).toReversed().join("");

const cutFront = (text: string, width: number): string => reversed(cut(reversed(text), width));

const padded = (text: string, width: number, right: boolean): string => {
  const blanks = " ".repeat(Math.max(width - widthOf(text), 0));
  return right ? blanks + text : text + blanks;
};

const gap = "  ";

/** Least width that a column is cut to. */
const leastWide = 16;
const least = 6;

/** A table that fits the width: the wide column is cut first, then the others from the right. */
export const table = (
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string => {
  const needed = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index] ?? ""))),
  );
  let over = needed.reduce((sum, each) => sum + each, 0) + gap.length * (columns.length - 1) - width;
  const wide = columns.findIndex((column) => column.wide === true);
  const others = [...columns.keys()]
    .filter((index) => index !== wide && columns[index]?.whole !== true)
    .toReversed();
  for (const [index, floor] of [
    [wide, leastWide],
    ...others.map((each) => [each, columns[each]?.least ?? least] as const),
    [wide, least],
  ] as const) {
    const has = needed[index];
    if (over <= 0 || has === undefined) continue;
    const less = Math.min(over, Math.max(has - floor, 0));
    needed[index] = has - less;
    over -= less;
  }
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ right = false, tail = false }, index) =>
        padded((tail ? cutFront : cut)(cells[index] ?? "", needed[index] ?? 0), needed[index] ?? 0, right),
      )
      .join(gap)
      .trimEnd();
  return [bold(line(columns.map(({ title }) => title))), ...rows.map(line)].join("\n");
};

/** 1234567 as `1.2M`. */
export const short = (amount: number | undefined): string => {
  if (amount === undefined) return "-";
  if (amount < 10_000) return `${amount}`;
  if (amount < 999_500) return `${Math.round(amount / 1000)}k`;
  return `${(amount / 1e6).toFixed(1)}M`;
};

/** Nano-dollars as `$1.23`; `~` before what our table says, `?` behind what is not whole. */
export const dollars = (nano: number | undefined, source: "recorded" | "priced" | "unknown"): string => {
  if (nano === undefined) return "-";
  const usd = nano / 1e9;
  if (usd > 0 && usd < 0.00005) return "<$0.0001";
  const text = `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2)}`;
  return source === "recorded" ? text : source === "priced" ? `~${text}` : `${text}?`;
};
