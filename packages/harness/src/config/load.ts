import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import { HarnessError } from "../base/errors.ts";
import { isKindName } from "../kinds/registry.ts";
import type {
  Config,
  DaemonSettings,
  HarnessDefinition,
  TraceSettings,
  WebhookDefinition,
} from "./definition.ts";
import { definitionOf, nameProblem, refused } from "./harness-table.ts";
import { comesLater } from "./later.ts";
import { pathsFrom, type ResolvePath } from "./path.ts";
import { locator } from "./position.ts";
import { configError, type Problem, type TomlPath } from "./problem.ts";
import { readRules } from "./redact-table.ts";
import { daemonTable, harnessTable, redactTable, topKeys, traceTable } from "./schema.ts";
import { isSecretKey } from "./secret.ts";
import { serverOf, serverTable } from "./server.ts";
import { webhookOf, webhookTable } from "./webhook.ts";

export interface ConfigSource {
  /** As the operator wrote it; messages show it like this. */
  file: string;
  /** Named by flag or variable: then it must exist. */
  explicit: boolean;
  home: string;
  /** Where a relative `file` begins. */
  cwd: string;
}

/**
 * Loads a configuration, or fails with every problem of the file at once, each with file, line and column. A file that
 * nobody named and that does not exist is a configuration without harnesses.
 */
export const loadConfig = async (source: ConfigSource): Promise<Config> => {
  const path = resolve(source.cwd, source.file);
  const text = read(source, path);
  if (text === undefined)
    return {
      file: null,
      harnesses: new Map(),
      trace: traceOf({}),
      daemon: daemonOf({}),
      server: serverOf({}),
      webhooks: new Map(),
      redactRules: [],
    };
  const problems: Problem[] = [];
  const document = parseDocument(source.file, text);
  checkTop(document, problems);
  const resolvePath = pathsFrom(dirname(path), source.home);
  const webhooks = readWebhooks(document["webhook"], resolvePath, problems);
  const server = checked(serverTable, document["server"] ?? {}, ["server"], problems) ?? {};
  const surroundings = { resolve: resolvePath, webhooks: new Set(Object.keys(tableOr(document["webhook"]))) };
  const harnesses = readHarnesses(document["harness"], surroundings, problems);
  const trace = checked(traceTable, document["trace"] ?? {}, ["trace"], problems) ?? {};
  const daemon = checked(daemonTable, document["daemon"] ?? {}, ["daemon"], problems) ?? {};
  const redact = checked(redactTable, document["redact"] ?? {}, ["redact"], problems) ?? {};
  const redactRules = readRules(redact.rules ?? [], resolvePath, problems);
  if (problems.length > 0) throw configError(source.file, problems, await locator(text));
  return {
    file: path,
    harnesses,
    trace: traceOf(trace),
    daemon: daemonOf(daemon),
    server: serverOf(server),
    webhooks,
    redactRules,
  };
};

const read = (source: ConfigSource, path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" && !source.explicit) return undefined;
    if (code === "ENOENT") {
      throw new HarnessError("config_unreadable", `${source.file} does not exist`, {
        hint: "write it, or name another file with --config",
        cause: error,
      });
    }
    const why = code === "EISDIR" ? "is a folder, not a file" : "cannot be read";
    throw new HarnessError("config_unreadable", `${source.file} ${why}`, {
      hint: "check its owner and mode, or name another file with --config",
      cause: error,
    });
  }
};

type Table = Record<string, unknown>;

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;

const parseDocument = (file: string, text: string): Table => {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ""] = error.message.replace(/^Invalid TOML document: /, "").split("\n");
    throw new HarnessError("config_invalid", `${file}:${error.line}:${error.column}: ${what}`, {
      hint: "correct the line; the file must be valid TOML",
      cause: error,
    });
  }
};

const checkTop = (document: Table, problems: Problem[]): void => {
  for (const [key, value] of Object.entries(document)) {
    if (topKeys.some((known) => known === key)) continue;
    // The oldest files wrote a harness as a bare table.
    const bare = isTable(value) && "harness" in value;
    const message = bare ? `write this table as [harness.${key}]` : unknownKey(undefined, key);
    problems.push({ path: [key], at: "key", message });
  }
};

const unknownKey = (table: string | undefined, key: string): string => {
  const what = table === undefined ? "table" : "key";
  return comesLater(table, key)
    ? `this ${what} is not supported yet in this version; remove it`
    : `unknown ${what}; see docs/config.md for the ones there are`;
};

const tableOr = (value: unknown): Table => (isTable(value) ? value : {});

const readWebhooks = (
  value: unknown,
  resolvePath: ResolvePath,
  problems: Problem[],
): Map<string, WebhookDefinition> => {
  const webhooks = new Map<string, WebhookDefinition>();
  if (value !== undefined && !isTable(value))
    problems.push({ path: ["webhook"], at: "key", message: "must be tables named [webhook.<name>]" });
  for (const [name, each] of Object.entries(tableOr(value))) {
    const path = ["webhook", name];
    if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
      const message = "a name is 1 to 64 lower-case letters, digits and dashes: it is part of an address";
      problems.push({ path, at: "key", message });
    }
    const table = checked(webhookTable, each, path, problems);
    if (table !== undefined) webhooks.set(name, webhookOf(name, table, resolvePath, problems));
  }
  return webhooks;
};

interface HarnessSurroundings {
  resolve: ResolvePath;
  /** Names of the webhooks there are. */
  webhooks: ReadonlySet<string>;
}

const readHarnesses = (
  value: unknown,
  surroundings: HarnessSurroundings,
  problems: Problem[],
): Map<string, HarnessDefinition> => {
  const harnesses = new Map<string, HarnessDefinition>();
  if (value === undefined) return harnesses;
  if (!isTable(value)) {
    problems.push({ path: ["harness"], at: "key", message: "must be tables named [harness.<name>]" });
    return harnesses;
  }
  for (const [name, table] of Object.entries(value)) {
    const definition = readHarness(name, table, surroundings, problems);
    if (definition !== undefined) harnesses.set(name, definition);
  }
  return harnesses;
};

const readHarness = (
  name: string,
  value: unknown,
  surroundings: HarnessSurroundings,
  problems: Problem[],
): HarnessDefinition | undefined => {
  const path = ["harness", name];
  if (!isTable(value)) {
    problems.push({ path, at: "key", message: "must be a table [harness.<name>]" });
    return undefined;
  }
  const badName = nameProblem(name);
  if (badName !== undefined) problems.push({ path, at: "key", message: badName });
  const refusal = refused(name, value);
  if (refusal !== undefined) problems.push(refusal);
  const table = checked(harnessTable, value, path, problems);
  const kind = value["harness"];
  if (table === undefined || refusal !== undefined || !isKindName(kind)) return undefined;
  return definitionOf(name, kind, table, surroundings, problems);
};

/** The value as its schema sees it, or undefined with every problem reported. */
const checked = <Output>(
  schema: z.ZodType<Output>,
  value: unknown,
  path: TomlPath,
  problems: Problem[],
): Output | undefined => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    // Positions are found by keys; a symbol cannot come out of TOML.
    const inside = issue.path.filter((part) => typeof part !== "symbol");
    if (issue.code !== "unrecognized_keys") {
      problems.push({ path: [...path, ...inside], at: "value", message: said(issue.message, value, inside) });
      continue;
    }
    for (const key of issue.keys) {
      problems.push({
        path: [...path, ...inside, key],
        at: "key",
        message: unknownKey(String(path[0]), key),
      });
    }
  }
  return undefined;
};

/** The message with the value it is about, unless that is, or could be, a secret. */
const said = (message: string, value: unknown, path: TomlPath): string => {
  if (path.some((part) => typeof part === "string" && isSecretKey(part))) return message;
  const found = path.reduce<unknown>((at, part) => (isIndexable(at) ? at[part] : undefined), value);
  if (found === undefined) return `is missing; it ${message}`;
  const shown = JSON.stringify(found);
  return `${message}; it is ${shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown}`;
};

const LONGEST_SHOWN = 60;

const isIndexable = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === "object" && value !== null;

const daemonOf = (table: { watch_config?: boolean | undefined }): DaemonSettings => ({
  watchConfig: table.watch_config ?? true,
});

const traceOf = (table: { max_stream_mb?: number | undefined }): TraceSettings => ({
  maxStreamBytes: (table.max_stream_mb ?? 64) * 1024 * 1024,
});
