import type { Action, OutsideTouch, Target, Touch } from "../item.ts";
import type { JsonValue } from "../reader.ts";
import { oneLine } from "../bounded-text.ts";
import { array, number, object, objects, string, strings, text, type JsonObject } from "../jsonline.ts";
import { lookup } from "../lookup.ts";
import { inputDigest } from "./digest.ts";
import { TouchList } from "./paths.ts";
import { patchTouches } from "./patch.ts";
import { classifyCommand } from "./command.ts";

/** What a tool does, whatever its agent calls it. */
export type ToolKind =
  /** Runs a shell command given as text or as an argument list. */
  | "shell"
  /** Reads one file, or a range of it. */
  | "read"
  /** Writes or changes one or more files named in its arguments. */
  | "edit"
  /** Looks for files or for text in files. */
  | "search"
  /** Changes files by a patch text (`*** Update File: …`). */
  | "patch"
  /** Starts a sub-agent. */
  | "agent"
  | "other";

/** Tool names of one agent (lower case) and what they do. A name that is missing is `other`. */
export type ToolTable = Readonly<Record<string, ToolKind>>;

export interface CallContext {
  tools: ToolTable;
  /** Working directory of the call, absolute. */
  cwd?: string | undefined;
  home?: string | undefined;
}

/** What a call was for, from its name and arguments alone. */
export interface CallClass {
  action: Action;
  targets: Target[];
  outside: OutsideTouch[];
  summary: string;
  inputDigest: string;
}

const commandKeys = ["command", "cmd", "script", "commands"] as const;
const pathKeys = [
  "file_path",
  "filePath",
  "path",
  "notebook_path",
  "filename",
  "file",
  "absolute_path",
  "dir_path",
] as const;
const describingKeys = [
  "description",
  "pattern",
  "query",
  "prompt",
  "task",
  "url",
  "title",
  "name",
  "subject",
] as const;

const actions: Readonly<Record<ToolKind, Action>> = {
  shell: "exec",
  read: "read",
  edit: "edit",
  search: "search",
  patch: "edit",
  agent: "other",
  other: "other",
};

/** Classifies a call. Its arguments are already masked; none is kept but paths, a command's line, and the digest. */
export const classifyCall = (
  call: { tool: string; input: JsonValue | undefined },
  context: CallContext,
): CallClass => {
  const kind = lookup(context.tools, call.tool.toLowerCase()) ?? "other";
  const input = object(call.input) ?? {};
  const touches = new TouchList(context);
  let action = actions[kind];
  let verb: string | undefined;
  if (kind === "shell") {
    const command = commandText(input) ?? string(call.input);
    const directory = text(input["workdir"]) ?? text(input["cwd"]) ?? text(input["working_directory"]);
    if (directory !== undefined) touches.enter(directory);
    if (command !== undefined) {
      action = classifyCommand(command, touches);
      verb = command;
    }
  } else if (kind === "patch") {
    for (const { path, touch } of patchTouches(patchText(call.input))) touches.add(path, touch);
  } else if (kind !== "other" && kind !== "agent") addPaths(input, kind, touches);
  return {
    action,
    targets: touches.targets(),
    outside: touches.outside(),
    summary: oneLine(summaryOf(call.tool, kind, verb, input, touches)),
    inputDigest: inputDigest(call.input),
  };
};

const commandText = (input: JsonObject): string | undefined => {
  for (const key of commandKeys) {
    const value = input[key];
    if (typeof value === "string" && value !== "") return value;
    const words = strings(value);
    if (words !== undefined && words.length > 0) return argumentsText(words);
  }
  return undefined;
};

/** An argument list as a command line; `["bash", "-lc", "x"]` is the line `x`. */
const argumentsText = (words: readonly string[]): string => {
  const [shell = "", flag = "", script] = words;
  if (/^(?:.*\/)?(?:ba|z|da|k)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag) && script !== undefined)
    return script;
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
};

const patchText = (input: JsonValue | undefined): string => {
  const fields = object(input);
  return (
    string(input) ?? text(fields?.["input"]) ?? text(fields?.["patch"]) ?? text(fields?.["patchText"]) ?? ""
  );
};

const addPaths = (input: JsonObject, kind: "read" | "edit" | "search", touches: TouchList): void => {
  const touch: Touch = kind === "search" ? "hit" : kind;
  for (const key of pathKeys) {
    const path = text(input[key]);
    if (path !== undefined) touches.add(path, touch, kind === "read" ? readRange(input) : undefined);
  }
  for (const key of ["paths", "files", "file_paths"]) {
    for (const value of array(input[key]) ?? []) {
      const path = string(value) ?? string(object(value)?.["path"]);
      if (path !== undefined) touches.add(path, touch);
    }
  }
  // Several edits in one call name their file each.
  if (kind === "edit")
    for (const edit of objects(input["edits"])) addPaths({ path: edit["path"] ?? null }, kind, touches);
};

/** The lines a read asks for: `offset` is the first one from 1, `limit` how many. */
const readRange = (input: JsonObject): [number, number] | undefined => {
  const limit = number(input["limit"]);
  const offset = number(input["offset"]) ?? (limit === undefined ? undefined : 1);
  if (offset === undefined || limit === undefined || limit < 1) return undefined;
  const from = Math.max(1, Math.trunc(offset));
  return [from, from + Math.trunc(limit) - 1];
};

const summaryOf = (
  tool: string,
  kind: ToolKind,
  command: string | undefined,
  input: JsonObject,
  touches: TouchList,
): string => {
  if (command !== undefined) return command;
  const paths = touches.written();
  const what = kind === "other" || kind === "agent" ? [] : paths;
  const described = kind === "read" || kind === "edit" ? undefined : firstText(input, describingKeys);
  if (kind === "patch" || what.length > 0 || described === undefined) {
    const rest = kind === "search" && described !== undefined ? [described, ...what] : what;
    return rest.length > 0 ? `${tool} ${rest.join(" ")}` : tool;
  }
  return `${tool} ${described}`;
};

const firstText = (input: JsonObject, keys: readonly string[]): string | undefined => {
  for (const key of keys) {
    const value = text(input[key]);
    if (value !== undefined) return value;
  }
  return undefined;
};
