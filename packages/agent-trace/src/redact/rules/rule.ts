/** One credential shape, as data. */
export interface Rule {
  id: string;
  /** Lower-case; a line without any of them is not looked at. */
  keywords: readonly string[];
  /** Regular expression, RE2 syntax; the first group that took part is the secret, without groups all of it. */
  regex: string;
}

/** Rules of one source under one name and version. */
export interface RuleSet {
  version: string;
  rules: readonly Rule[];
}
