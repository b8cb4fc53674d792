import { clip, oneLine, padEnd, padStart, width } from "../view/text.ts";
import type { Output } from "./context.ts";
import { styled, type Role } from "./style.ts";

export interface Column {
  title: string;
  align?: "left" | "right";
  /** Gives way when the table is wider than the terminal, the last such column first; cut with `…`. */
  gives?: boolean;
}

export interface Cell {
  text: string;
  role?: Role;
}

export interface Row {
  cells: readonly (Cell | string)[];
}

const gap = "  ";
/** A column that gives way keeps at least this much. */
const leastWidth = 8;

/** Aligned columns under a bold header and a rule. */
export const writeTable = (output: Output, columns: readonly Column[], rows: readonly Row[]): void => {
  const table = rows.map(({ cells }) => columns.map((_, index) => plainCell(cells[index] ?? "")));
  const widths = widthsFor(columns, table, output.columns);
  const line = (cells: readonly Cell[]): string =>
    columns
      .map((column, index) => fitted(output, cells[index] ?? { text: "" }, widths[index] ?? 0, column))
      .join(gap)
      .trimEnd();
  output.write(`${line(columns.map(({ title }) => ({ text: title, role: "bold" })))}\n`);
  output.write(`${styled(output, "faint", "─".repeat(totalOf(widths)))}\n`);
  for (const cells of table) output.write(`${line(cells)}\n`);
};

/** On one line and without control characters: a description must not drive the terminal. */
const plainCell = (cell: Cell | string): Cell =>
  typeof cell === "string" ? { text: oneLine(cell) } : { ...cell, text: oneLine(cell.text) };

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, each) => sum + each, gap.length * (widths.length - 1));

const widthsFor = (columns: readonly Column[], rows: readonly Cell[][], available: number): number[] => {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((cells) => width(cells[index]?.text ?? ""))),
  );
  return widths.reduceRight<number[]>((fitting, wanted, index) => {
    const excess = totalOf(fitting) - available;
    if (excess <= 0 || columns[index]?.gives !== true) return fitting;
    return fitting.with(index, Math.max(Math.min(wanted, leastWidth), wanted - excess));
  }, widths);
};

const fitted = (output: Output, { text, role }: Cell, cells: number, { align }: Column): string => {
  const shown = clip(text, cells);
  const padded = align === "right" ? padStart(shown, cells) : padEnd(shown, cells);
  // Colour stands around the word only, not around the space beside it.
  return padded.replace(shown, () => styled(output, role, shown));
};
