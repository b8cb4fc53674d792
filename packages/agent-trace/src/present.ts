/** `T` with every field that may be `undefined` made optional instead. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out the fields that are `undefined`: in the record, what is not known is absent. */
export const present = <T extends object>(fields: T): Present<T> => {
  const known: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) known[name] = value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the undefined fields are left out, as Present says
  return known as Present<T>;
};
