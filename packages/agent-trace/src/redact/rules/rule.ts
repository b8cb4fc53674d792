/** One credential shape, as data. */
export interface Rule {
  id: string;
  /**
   * Regular expression in RE2 syntax, but that a repeat may go beyond a thousand. What its groups matched is the secret; without groups all of it. It must be
   * bounded: every repeat has an upper end.
   */
  regex: string;
  /** Lower-case. Left out where the expression itself begins with them: then they are read off it. */
  keywords?: readonly string[];
  /** Least and most characters that the match begins before the keyword; left out: it begins with the keyword. */
  lookback?: readonly [number, number];
  /** Shannon entropy in bits a character that the secret must exceed. */
  entropy?: number;
  /**
   * The match may not touch a letter, digit, underscore or (behind it) hyphen: for shapes whose beginning is too short
   * to prove them. `end`: only what is behind it counts.
   */
  edge?: boolean | "end";
  /** A name, an operator behind it, and a value: see `TO_VALUE`. */
  assigned?: boolean;
  /** The secret must look drawn at random, not like a word or a name. */
  random?: boolean;
  /** The match proves by itself that it is a secret: it applies in places that hold ids, too. */
  proving?: boolean;
}

/** Rules of one source under one name. */
export interface RuleSet {
  version: string;
  rules: readonly Rule[];
}

type Options = Partial<Omit<Rule, "id" | "regex">>;

export const UUID = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}";

/** From a name to its value: the rest of the name and quotes, one operator, quotes. The mask cannot be crossed. */
export const TO_VALUE = `[\\s\\w.'"-]{0,23}(?:=>|\\?=|\\|\\||:{1,3}=|[=>:,])[\\s'"=\`]{0,5}`;

/** A secret that is known by its own shape. */
export function token(id: string, regex: string, options: Options = {}): Rule {
  return { id, regex, proving: options.edge === undefined, ...options };
}

/** A value without a shape of its own, that a provider's name stands before: `name … = value`. */
export function named(id: string, name: string, value: string, options: Options = {}): Rule {
  return {
    id,
    regex: `(?i:${name})${TO_VALUE}(${value})`,
    assigned: true,
    random: true,
    edge: "end",
    ...options,
  };
}

/** A secret inside a context; the groups of the expression are the secret. */
export function within(id: string, regex: string, options: Options = {}): Rule {
  return { id, regex, ...options };
}
