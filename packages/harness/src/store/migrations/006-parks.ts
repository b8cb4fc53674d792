/** Harnesses whose agent's usage limit is used up. */
export const parks = `
CREATE TABLE park (
  harness TEXT PRIMARY KEY,
  until INTEGER NOT NULL,
  windows INTEGER NOT NULL,
  resumes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
