import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { isObject } from "../json.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "orphus");

/** One line of JSON, looked at as an object. */
export type Line = { [key: string]: unknown };

export const parseLines = (text: string): Line[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const value: unknown = JSON.parse(line);
      if (!isObject(value)) throw new Error(`no object: ${line}`);
      return value;
    });

/** A folder with a home and a project, in which the program runs with an environment built from nothing. */
export const createSandbox = (env: Record<string, string> = {}) => {
  const root = mkdtempSync(join(tmpdir(), "orphus-test-"));
  const project = join(root, "project");
  const start = (args: readonly string[]) => {
    const child = spawn(BIN, args, {
      cwd: project,
      env: { HOME: join(root, "home"), PATH: "/usr/bin:/bin", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
    const ended = once(child, "close").then(([code]) => ({ ...output, code: Number(code) }));
    return { child, ended, output };
  };
  writeFileSync(join(mkdirp(project), ".keep"), "");
  return {
    root,
    project,
    start,
    run: (args: readonly string[]) => start(args).ended,
    file: (name: string, content: unknown) =>
      writeFileSync(join(project, name), typeof content === "string" ? content : JSON.stringify(content)),
    read: (name: string) => readFileSync(join(project, name), "utf8"),
    /** Path of the one session file. */
    sessionPath() {
      const sessions = join(root, "home", ".orphus", "agent", "sessions");
      const [folder = ""] = readdirSync(sessions);
      const file = readdirSync(join(sessions, folder)).find((name) => name.endsWith(".jsonl")) ?? "";
      return join(sessions, folder, file);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
};

const mkdirp = (path: string): string => {
  mkdirSync(path, { recursive: true });
  return path;
};
