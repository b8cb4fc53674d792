import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { HarnessError } from "../base/errors.ts";
import { isCommandTranscripts } from "../kinds/command.ts";
import type { KindName } from "../kinds/kind.ts";
import { isKindName, kindNamed } from "../kinds/registry.ts";
import type { HarnessDefinition } from "./definition.ts";
import { readEnvFile } from "./env-file.ts";
import type { ResolvePath } from "./path.ts";
import type { Problem } from "./problem.ts";
import { refusal } from "./refusal.ts";
import type { HarnessTable } from "./schema.ts";
import { argumentProblem } from "./argument.ts";
import { isScratchName } from "./scratch-name.ts";

type Key = keyof HarnessTable;

/** Collects what is wrong with one table. */
type Report = (key: Key, message: string, at?: Problem["at"]) => void;

/** A name becomes a folder and a word on the command line. */
export const nameProblem = (name: string): string | undefined => {
  if (isScratchName(name)) return "this name is where runs of `harness run` are kept; use another";
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
    ? undefined
    : "a name is 1 to 64 letters, digits, dots, dashes or underscores, and begins with a letter or digit";
};

/**
 * The refusal of what cannot be supervised: an unknown kind, or a command that names no transcripts. It comes before
 * every other check of the table, and from the raw value, whatever its type.
 */
export const refused = (name: string, table: Readonly<Record<string, unknown>>): Problem | undefined => {
  const problem = (key: string, stated: string): Problem => ({
    path: ["harness", name, key],
    at: "value",
    message: `${stated} is not supported`,
    refusal: refusal(name, stated),
  });
  const kind = table["harness"];
  if (kind === undefined) return problem("harness", "a table without harness = …");
  if (!isKindName(kind)) return problem("harness", `harness = ${shown(kind)}`);
  const transcripts = table["transcripts"];
  if (kind !== "command" || isCommandTranscripts(transcripts)) return undefined;
  return transcripts === undefined
    ? problem("harness", 'harness = "command" without transcripts')
    : problem("transcripts", `transcripts = ${shown(transcripts)}`);
};

const shown = (value: unknown): string => JSON.stringify(value) ?? String(value);

/** Fills in defaults, makes paths absolute, and reports what does not go together. */
export const definitionOf = (
  name: string,
  kind: KindName,
  table: HarnessTable,
  surroundings: { resolve: ResolvePath; webhooks: ReadonlySet<string> },
  problems: Problem[],
): HarnessDefinition => {
  const { resolve } = surroundings;
  const report: Report = (key, message, at = "key") => {
    problems.push({ path: ["harness", name, key], at, message });
  };
  const prompt = promptOf(table, resolve, report);
  if (kind === "command") checkCommand(table, report);
  else checkAgent(kind, table, report);
  if (prompt === undefined) checkWithoutPrompt(kind, table, report);
  else checkOneShot(table, report);
  if (table.catch_up !== undefined && table.schedule === undefined)
    report("catch_up", "needs schedule: it says what becomes of due times that were missed");
  return {
    name,
    kind,
    ...(prompt && { prompt }),
    args: table.args ?? [],
    argv: table.argv ?? [],
    ...(isCommandTranscripts(table.transcripts) && { transcripts: table.transcripts }),
    workdir: resolve(table.workdir ?? "~"),
    envFiles: envFilesOf(table, resolve, report),
    ...(table.description !== undefined && { description: table.description }),
    ...(table.model !== undefined && { model: table.model }),
    autoAccept: table.auto_accept ?? false,
    maxTurns: table.max_turns ?? 0,
    timeoutMs: table.timeout ?? (prompt === undefined ? 0 : 3_600_000),
    onOverlap: table.on_overlap ?? (table.triggers === undefined ? "skip" : "queue"),
    keepRuns: table.keep_runs ?? 20,
    recordTrace: table.record_trace ?? true,
    enabled: table.enabled ?? false,
    restart: table.restart ?? (prompt === undefined ? "always" : "no"),
    restartDelayMs: (table.restart_delay ?? 0) * 1000,
    ...(table.inherit_env !== undefined && { inheritEnv: table.inherit_env }),
    ...(table.schedule !== undefined && { schedule: table.schedule }),
    catchUp: table.catch_up ?? false,
    maxWindows: table.max_windows ?? 3,
    webhooks: webhooksOf(table, surroundings.webhooks, report),
  };
};

const promptOf = (table: HarnessTable, resolve: ResolvePath, report: Report): HarnessDefinition["prompt"] => {
  if (table.prompt !== undefined && table.prompt_file !== undefined) {
    report("prompt_file", "prompt and prompt_file exclude each other; keep one");
  }
  if (table.prompt_file !== undefined) {
    const file = resolve(table.prompt_file);
    const problem = promptFileProblem(file);
    if (problem !== undefined) report("prompt_file", problem, "value");
    return { file };
  }
  if (table.prompt === undefined) return undefined;
  const problem = argumentProblem(table.prompt);
  if (problem !== undefined) report("prompt", problem, "value");
  return { text: table.prompt };
};

const promptFileProblem = (file: string): string | undefined => {
  try {
    if (!statSync(file).isFile()) return `${file} is not a regular file`;
    accessSync(file, constants.R_OK);
    return readFileSync(file, "utf8").trim() === ""
      ? `${file} is empty; write the prompt into it`
      : undefined;
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return missing ? `${file} does not exist` : `${file} cannot be read; check its mode and its folders`;
  }
};

const commandExcludes: readonly Key[] = [
  "prompt",
  "prompt_file",
  "args",
  "model",
  "auto_accept",
  "max_turns",
];

const checkCommand = (table: HarnessTable, report: Report): void => {
  if (table.argv === undefined) report("argv", "a command harness needs argv, the program and its arguments");
  for (const key of commandExcludes) {
    if (table[key] !== undefined)
      report(key, "does not go with a command harness; everything stands in argv");
  }
};

const checkAgent = (kind: KindName, table: HarnessTable, report: Report): void => {
  for (const key of ["argv", "transcripts"] as const) {
    if (table[key] !== undefined) report(key, 'belongs to harness = "command" only');
  }
  const asked = (table.prompt ?? table.prompt_file) !== undefined && (table.max_turns ?? 0) > 0;
  if (asked && kindNamed(kind)?.limitsTurns === false) {
    report("max_turns", `${kind} cannot be held to a number of turns; remove it, or use timeout`);
  }
};

const needPrompt: readonly Key[] = [
  "timeout",
  "on_overlap",
  "schedule",
  "catch_up",
  "triggers",
  "max_windows",
  "max_turns",
];

const checkWithoutPrompt = (kind: KindName, table: HarnessTable, report: Report): void => {
  for (const key of kindNamed(kind)?.residentLacks ?? []) {
    if (table[key] !== undefined) {
      report(key, `${kind} cannot be told so without a prompt; set it in the agent's own configuration`);
    }
  }
  // A command has been told already that the last is not for it.
  const keys = kind === "command" ? needPrompt.slice(0, -1) : needPrompt;
  for (const key of keys) {
    if (table[key] !== undefined)
      report(key, "needs prompt or prompt_file; without one the harness is a resident");
  }
};

const webhooksOf = (table: HarnessTable, known: ReadonlySet<string>, report: Report): string[] => {
  const names: string[] = [];
  for (const trigger of table.triggers ?? []) {
    const [, name] = /^webhook\.(.+)$/.exec(trigger) ?? [];
    if (name === undefined || !known.has(name)) {
      const there = [...known].map((each) => `webhook.${each}`).join(", ");
      const what = there === "" ? "and the file defines none" : `and the file defines ${there}`;
      report("triggers", `${JSON.stringify(trigger)} names no [webhook.<name>], ${what}`, "value");
    } else if (names.includes(name)) {
      report("triggers", `${JSON.stringify(trigger)} stands there twice`, "value");
    } else names.push(name);
  }
  return names;
};

/** A one-shot ends when its work is done: to be kept going, or begun unasked, is a resident's. */
const checkOneShot = (table: HarnessTable, report: Report): void => {
  if (table.restart === "always" || table.restart === "unless-stopped") {
    report("restart", 'a one-shot ends when its work is done; use "no" or "on-failure"', "value");
  }
  if (table.enabled === true) report("enabled", "is for residents; a one-shot starts when it is triggered");
};

const envFilesOf = (table: HarnessTable, resolve: ResolvePath, report: Report): string[] => {
  const files = table.env_file === undefined ? [] : [table.env_file].flat().map(resolve);
  for (const file of files) {
    try {
      readEnvFile(file);
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      report("env_file", `${error.message.replace(/^env_file /, "")}; ${error.hint ?? ""}`, "value");
    }
  }
  return files;
};
