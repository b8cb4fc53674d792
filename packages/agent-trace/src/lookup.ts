/** The table's own entry; a key that every object inherits (`constructor`) finds nothing. */
export const lookup = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
