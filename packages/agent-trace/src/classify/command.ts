import { posix } from "node:path";
import { forEachChild, parse, type SyntaxNode } from "unbash";
import type { Action } from "../item.ts";
import type { TouchList } from "./paths.ts";
import { isVerifier } from "./verifiers.ts";

/** Longest command that is parsed; a longer one is `exec`. */
const parseLimit = 64 * 1024;

const searchers = new Set([
  "grep",
  "egrep",
  "fgrep",
  "rg",
  "ag",
  "ack",
  "find",
  "fd",
  "ls",
  "tree",
  "locate",
  "which",
]);
const readers = new Set([
  "cat",
  "head",
  "tail",
  "less",
  "more",
  "nl",
  "bat",
  "wc",
  "file",
  "stat",
  "od",
  "xxd",
  "diff",
]);
/** Change nothing and say nothing about what a line is for. */
const neutral = new Set([
  "cd",
  "pwd",
  "echo",
  "printf",
  "true",
  "sort",
  "uniq",
  "cut",
  "tr",
  "column",
  "jq",
  "test",
  "[",
]);
const wrappers = new Set([
  "sudo",
  "env",
  "time",
  "timeout",
  "nohup",
  "nice",
  "stdbuf",
  "exec",
  "command",
  "xargs",
  "npx",
]);

interface SimpleCommand {
  words: string[];
  /** A redirection writes a file. */
  writes: string[];
}

/**
 * What a shell command does, and the files it touches. The line is parsed as shell: `cd x && npm test | tail` verifies,
 * and a quoted `npm test` does not. A line is what its most telling part is; an unknown program makes it `exec`.
 */
export const classifyCommand = (command: string, touches: TouchList): Action => {
  if (command.length > parseLimit) return "exec";
  const commands = simpleCommands(command);
  const actions = commands.map((simple) => classifySimple(simple, touches));
  if (actions.includes("verify")) return "verify";
  const telling = actions.filter((action) => action !== "other");
  if (telling.length === 0 || telling.includes("exec")) return "exec";
  return telling.includes("search")
    ? "search"
    : telling.every((action) => action === "read")
      ? "read"
      : "exec";
};

const simpleCommands = (command: string): SimpleCommand[] => {
  const found: SimpleCommand[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") found.push(simpleCommand(node));
    forEachChild(node, visit);
  };
  try {
    visit(parse(command));
  } catch {
    return [];
  }
  return found;
};

const simpleCommand = (node: Extract<SyntaxNode, { type: "Command" }>): SimpleCommand => {
  const words = [node.name, ...node.args].flatMap((word) =>
    word === undefined ? [] : ["value" in word && typeof word.value === "string" ? word.value : word.text],
  );
  const writes = node.redirects.flatMap((redirect) =>
    redirect.type === "Redirect" &&
    redirect.target !== undefined &&
    /^(?:>|>>|>\||&>|&>>)$/.test(redirect.operator)
      ? [redirect.target.value]
      : [],
  );
  return { words: unwrap(words), writes: writes.filter((path) => !path.startsWith("/dev/")) };
};

/** `sudo timeout 60 npm test` is `npm test`. */
const unwrap = (words: string[]): string[] => {
  let rest = words;
  while (rest.length > 1 && wrappers.has(posix.basename(rest[0] ?? ""))) {
    const next = rest.findIndex((word, at) => at > 0 && !/^-|^\d+[smhd]?$|^\w+=/.test(word));
    if (next === -1) break;
    rest = rest.slice(next);
  }
  return rest;
};

const classifySimple = ({ words, writes }: SimpleCommand, touches: TouchList): Action => {
  const [first = "", ...args] = words;
  const program = posix.basename(first);
  for (const path of writes) touches.add(path, "edit");
  if (program === "cd" && args[0] !== undefined) touches.enter(args[0]);
  if (isVerifier(program, args)) return "verify";
  if (writes.length > 0) return "exec";
  if (searchers.has(program)) return args.some((arg) => /^-(?:exec|delete|ok)/.test(arg)) ? "exec" : "search";
  if (program === "git") return classifyGit(args);
  if (readers.has(program) || isPrinting(program, args)) {
    for (const path of args.filter((arg) => !/^[-+]|^\d/.test(arg)).slice(program === "sed" ? 1 : 0)) {
      touches.add(path, "read");
    }
    return "read";
  }
  return neutral.has(program) || program === "" ? "other" : "exec";
};

/** `sed -n 1,40p file` prints, other uses of sed may edit. */
const isPrinting = (program: string, args: readonly string[]): boolean =>
  program === "sed" && args.includes("-n") && !args.some((arg) => /^-\w*i/.test(arg));

const classifyGit = (args: readonly string[]): Action => {
  const verb = args.find((arg) => !arg.startsWith("-"));
  if (verb === "grep" || verb === "ls-files") return "search";
  return ["diff", "log", "show", "status", "blame"].includes(verb ?? "") ? "read" : "exec";
};
