/**
 * Under which rules a run's record was masked, as `<version> <hash>`; NULL is one that is not known. `rescan` has what a
 * rescan has committed and not finished: runs whose masked files are to be put in place, and, as the run `0` of no
 * harness, that old bytes are still in free pages of the file.
 */
export const ruleSets = `
ALTER TABLE run ADD COLUMN rule_set TEXT;

CREATE TABLE rescan (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  PRIMARY KEY (harness, run_id)
) STRICT, WITHOUT ROWID;
`;
