import { parse, TomlError, type TomlTable, type TomlValue } from "smol-toml";
import { compilePattern } from "./pattern.ts";

/** A list of what is no secret. */
export interface Allow {
  /** RE2 syntax; a match anywhere in the target allows it. */
  regexes: readonly string[];
  /** Lower-case; a secret that holds one is allowed. */
  stopwords: readonly string[];
  target: "secret" | "match" | "line";
  /** Ids of the rules it applies to; empty for all. */
  rules: readonly string[];
}

/** One rule of a rule file. */
export interface FileRule {
  id: string;
  /** RE2 syntax. */
  regex: string;
  /** Lower-case; a text without any of them is not looked at. Empty: every text is. */
  keywords: readonly string[];
  /** Group that is the secret; else the first group that is not empty, else all of the match. */
  secretGroup?: number;
  /** Entropy that the secret must exceed. */
  entropy?: number;
  allow: readonly Allow[];
}

/** A rule file of the user. */
export interface RuleFile {
  rules: readonly FileRule[];
  allow: readonly Allow[];
}

/** A rule file that cannot be used, with the line that is at fault where it is known, counted from 1. */
export class RuleFileError extends Error {
  override readonly name = "RuleFileError";
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.line = line;
  }
}

/**
 * Reads a rule file in the TOML form of gitleaks and betterleaks: ids, expressions, keywords, secret groups, entropy and
 * allow-lists. Paths, validation and companions say nothing about a text and are passed over; a filter expression, too,
 * so that more is masked than its rule reports. Throws a {@link RuleFileError} that names the rule that cannot be used.
 */
export function parseRuleFile(toml: string): RuleFile {
  const file = parseToml(toml);
  const rules = tables(file["rules"]).flatMap((table, index) => {
    try {
      return readRule(table) ?? [];
    } catch (error) {
      throw new RuleFileError(
        error instanceof Error ? error.message : String(error),
        lineOfRule(toml, index),
        error,
      );
    }
  });
  if (rules.length === 0)
    throw new RuleFileError("the rule file holds no rule with an id and a regex", undefined);
  const allow = readAllows(file);
  for (const pattern of allow.flatMap(({ regexes }) => regexes)) checkPattern(pattern, "the allow-list");
  return { rules, allow };
}

function parseToml(toml: string): TomlTable {
  try {
    return parse(toml);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ""] = error.message.replace(/^Invalid TOML document: /u, "").split("\n");
    throw new RuleFileError(what, error.line, error);
  }
}

/** The line of the rule's header; unknown where the rules are written as one list. */
function lineOfRule(toml: string, index: number): number | undefined {
  const headers = toml
    .split("\n")
    .flatMap((line, at) => (/^\s*\[\[\s*rules\s*\]\]/u.test(line) ? [at + 1] : []));
  return headers[index];
}

function readRule(table: TomlTable): FileRule | undefined {
  const { id, regex, entropy, secretGroup } = table;
  // A rule with a path only looks for file names.
  if (regex === undefined && table["path"] !== undefined) return undefined;
  if (typeof id !== "string") throw new Error("a rule of the rule file has no id");
  if (typeof regex !== "string") throw new Error(`rule ${id} of the rule file has no regex`);
  const rule: FileRule = {
    id,
    regex,
    keywords: strings(table["keywords"]).map((word) => word.toLowerCase()),
    allow: readAllows(table),
  };
  if (typeof secretGroup === "number" && secretGroup > 0) rule.secretGroup = secretGroup;
  if (typeof entropy === "number" && entropy > 0) rule.entropy = entropy;
  for (const pattern of [regex, ...rule.allow.flatMap((allow) => allow.regexes)])
    checkPattern(pattern, `rule ${id}`);
  return rule;
}

function checkPattern(pattern: string, owner: string): void {
  try {
    compilePattern(pattern);
  } catch (error) {
    throw new RuleFileError(`${owner} of the rule file: ${pattern} is no RE2 expression`, undefined, error);
  }
}

function readAllows(table: TomlTable): Allow[] {
  const { allowlist, allowlists } = table;
  return [...tables(allowlist), ...tables(allowlists)]
    .filter((allow) => !(/^and$/iu.test(textOf(allow["condition"])) && allow["paths"] !== undefined))
    .map((allow) => ({
      regexes: strings(allow["regexes"]),
      stopwords: strings(allow["stopwords"]).map((word) => word.toLowerCase()),
      target:
        allow["regexTarget"] === "match" || allow["regexTarget"] === "line" ? allow["regexTarget"] : "secret",
      rules: strings(allow["targetRules"]),
    }));
}

function tables(value: TomlValue | undefined): TomlTable[] {
  return [value].flat().flatMap((table) => (isTable(table) ? [table] : []));
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return (
    typeof value === "object" &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) !== Date.prototype &&
    !(value instanceof Date)
  );
}

function textOf(value: TomlValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function strings(value: TomlValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
