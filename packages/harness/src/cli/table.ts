import type { Output } from "./context.ts";
import { styled, type Role } from "./style.ts";

export interface Column {
  title: string;
  align?: "left" | "right";
  /** The column that gives way when the table is wider than the terminal; cut with `…`. */
  gives?: boolean;
}

export interface Cell {
  text: string;
  role?: Role;
}

export interface Row {
  cells: readonly (Cell | string)[];
  /** A line of its own under the row. */
  note?: string;
}

const gap = "  ";
/** A column that gives way keeps at least this much. */
const leastCells = 8;

/** Aligned columns under a bold header and a rule. */
export const writeTable = (output: Output, columns: readonly Column[], rows: readonly Row[]): void => {
  const cellsOf = (row: Row): Cell[] =>
    columns.map((_, index) => {
      const cell = row.cells[index] ?? "";
      return typeof cell === "string" ? { text: plain(cell) } : { ...cell, text: plain(cell.text) };
    });
  const table = rows.map((row) => ({ cells: cellsOf(row), note: row.note }));
  const widths = widthsFor(
    columns,
    table.map(({ cells }) => cells),
    output.columns,
  );
  const line = (cells: readonly Cell[]): string =>
    columns
      .map((column, index) => fitted(output, cells[index] ?? { text: "" }, widths[index] ?? 0, column))
      .join(gap)
      .trimEnd();
  output.write(`${line(columns.map(({ title }) => ({ text: title, role: "bold" })))}\n`);
  const total = widths.reduce((sum, width) => sum + width, gap.length * (columns.length - 1));
  output.write(`${styled(output, "faint", "─".repeat(total))}\n`);
  for (const { cells, note } of table) {
    output.write(`${line(cells)}\n`);
    if (note !== undefined)
      output.write(`${styled(output, "faint", cut(`  ${plain(note)}`, output.columns))}\n`);
  }
};

const widthsFor = (columns: readonly Column[], rows: readonly Cell[][], available: number): number[] => {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((cells) => cells[index]?.text.length ?? 0)),
  );
  const total = widths.reduce((sum, width) => sum + width, gap.length * (columns.length - 1));
  const giving = columns.findIndex(({ gives }) => gives === true);
  const width = widths[giving];
  if (total > available && width !== undefined) {
    widths[giving] = Math.max(Math.min(width, leastCells), width - (total - available));
  }
  return widths;
};

const fitted = (output: Output, { text, role }: Cell, width: number, { align }: Column): string => {
  const shown = cut(text, width);
  const space = " ".repeat(width - shown.length);
  const word = styled(output, role, shown);
  return align === "right" ? space + word : word + space;
};

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

/** One line without control characters: a description or reason must not drive the terminal. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
