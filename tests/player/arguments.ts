/** What of the command line matters to the player. */
export interface Arguments {
  prompt: string | undefined;
  /** `--continue`, or `--resume` with or without an id. */
  continues: boolean;
  /** The id given to `--resume` or `--session-id`. */
  sessionId: string | undefined;
  skipsPermissions: boolean;
  version: boolean;
}

/** The command line is none the real CLI would run with; `message` is what it says on stderr. */
export class UsageError extends Error {}

/** Options without a value. */
const flags = new Set([
  "--bare",
  "--continue",
  "--dangerously-skip-permissions",
  "--fork-session",
  "--include-partial-messages",
  "--no-session-persistence",
  "--print",
  "--strict-mcp-config",
  "--verbose",
  "--version",
]);
/** Options with exactly one value. */
const valued = new Set([
  "--agent",
  "--append-system-prompt",
  "--effort",
  "--fallback-model",
  "--input-format",
  "--max-budget-usd",
  "--max-turns",
  "--model",
  "--name",
  "--output-format",
  "--permission-mode",
  "--session-id",
  "--setting-sources",
  "--settings",
  "--system-prompt",
]);
/** Options that take every word up to the next option: a prompt behind one of them is swallowed. */
const variadic = new Set([
  "--add-dir",
  "--allowed-tools",
  "--allowedTools",
  "--disallowed-tools",
  "--disallowedTools",
  "--mcp-config",
  "--tools",
]);
const short: Readonly<Record<string, string>> = {
  "-p": "--print",
  "-c": "--continue",
  "-r": "--resume",
  "-v": "--version",
  "-n": "--name",
};

interface Words {
  options: Map<string, string[]>;
  positional: string[];
}

/** Splits a command line as the real CLI does. */
const splitWords = (argv: readonly string[]): Words => {
  const words: Words = { options: new Map(), positional: [] };
  let at = 0;
  const next = (): string | undefined => {
    const word = argv[at];
    if (word === undefined || word.startsWith("-")) return undefined;
    at += 1;
    return word;
  };
  while (at < argv.length) {
    const word = argv[at] ?? "";
    at += 1;
    if (word === "--") {
      words.positional.push(...argv.slice(at));
      break;
    }
    if (!word.startsWith("-")) {
      words.positional.push(word);
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = equals > 0 ? word.slice(0, equals) : (short[word] ?? word);
    const values: string[] = equals > 0 ? [word.slice(equals + 1)] : [];
    if (valued.has(name) && values.length === 0) {
      // A value may begin with a dash here, as an option's only value does in the real parser.
      const value = argv[at];
      if (value === undefined) throw new UsageError(`error: option '${name} <value>' argument missing`);
      values.push(value);
      at += 1;
    } else if (name === "--resume" && values.length === 0) {
      const value = next();
      if (value !== undefined) values.push(value);
    } else if (variadic.has(name)) {
      for (let value = next(); value !== undefined; value = next()) values.push(value);
    } else if (!flags.has(name) && !valued.has(name) && name !== "--resume") {
      throw new UsageError(`error: unknown option '${word}'`);
    }
    words.options.set(name, values);
  }
  return words;
};

/**
 * Reads a command line of `claude` in print mode with a JSON stream, the only one that was captured.
 * @throws {UsageError} for one that the real CLI refuses, or that asks for another output.
 */
export const parseArguments = (argv: readonly string[]): Arguments => {
  const { options, positional } = splitWords(argv);
  if (!options.has("--version")) {
    if (!options.has("--print")) throw new UsageError("error: only print mode is played: pass -p");
    const format = options.get("--output-format")?.[0] ?? "text";
    if (format !== "stream-json") {
      throw new UsageError(`error: only --output-format stream-json is played, not ${format}`);
    }
    if (!options.has("--verbose")) {
      throw new UsageError("Error: When using --print, --output-format=stream-json requires --verbose");
    }
    if (positional.length > 1) throw new UsageError(`error: too many arguments: ${positional.join(" ")}`);
  }
  return {
    prompt: positional[0],
    continues: options.has("--continue") || options.has("--resume"),
    sessionId: (options.get("--resume") ?? options.get("--session-id"))?.[0],
    skipsPermissions: options.has("--dangerously-skip-permissions"),
    version: options.has("--version"),
  };
};
