/**
 * What the operator wants of a harness, and whether it has failed for good. `enabled` is null while nobody has said
 * anything but the configuration.
 */
export const intents = `
CREATE TABLE intent (
  harness TEXT PRIMARY KEY,
  enabled INTEGER,
  failed TEXT
) STRICT, WITHOUT ROWID;
`;
