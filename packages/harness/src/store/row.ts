import type { SQLOutputValue } from "node:sqlite";

/** One row of a result. SQLite's own rows have no prototype; treat it as a bag of values and read it with the functions below. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** A value that a row must have and does not: the schema and the code disagree. */
const wrong = (column: string, expected: string, value: unknown): never => {
  throw new TypeError(
    `column ${column}: expected ${expected}, found ${value === null ? "null" : typeof value}`,
  );
};

export const text = (row: Row, column: string): string => {
  const value = row[column];
  return typeof value === "string" ? value : wrong(column, "text", value);
};

export const integer = (row: Row, column: string): number => {
  const value = row[column];
  return typeof value === "number" ? value : wrong(column, "a number", value);
};

/** `undefined` for NULL: unknown. */
export const optionalText = (row: Row, column: string): string | undefined =>
  row[column] === null || row[column] === undefined ? undefined : text(row, column);

/** `undefined` for NULL: unknown. */
export const optionalInteger = (row: Row, column: string): number | undefined =>
  row[column] === null || row[column] === undefined ? undefined : integer(row, column);

export const flag = (row: Row, column: string): boolean => integer(row, column) !== 0;

/**
 * A column of words of one type. Safe because the store has one writer, which writes the column from that type; a word of
 * a newer program cannot come up, for its store is refused.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what the column was written from
export const word = <T extends string>(row: Row, column: string): T =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  text(row, column) as T;

/** A JSON column, written from one type by the store's one writer. NULL has to be looked for by the caller. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what the column was written from
export const json = <T>(row: Row, column: string): T =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  JSON.parse(text(row, column)) as T;

/** The object without the entries whose value is `undefined`, so that absent means unknown and nothing else. */
export const present = <T extends object>(
  fields: T,
): { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
} => {
  const kept = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the filter removed exactly what the type makes optional
  return kept as ReturnType<typeof present<T>>;
};
