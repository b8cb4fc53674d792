import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/sandbox.ts";

/** What is planted: `text` in what is said, called and answered, `path` as a part of paths. */
export interface Planting {
  text: string;
  path: string;
}

const captures = join(repository, "tests", "player", "captures", "claude");

/** Keys of a captured line under which an agent's own words, its calls and their results stand. */
const SPOKEN = new Set([
  "text",
  "thinking",
  "command",
  "description",
  "content",
  "stdout",
  "result",
  "lastPrompt",
]);
const PATHS = new Set(["file_path", "filePath", "cwd"]);

const plantLine = (line: string, { text, path }: Planting): string => {
  const value: unknown = JSON.parse(line, (key, part: unknown) => {
    if (typeof part !== "string") return part;
    if (SPOKEN.has(key)) return `${part}\n${text}`;
    return PATHS.has(key) ? `${part}/${path}` : part;
  });
  return JSON.stringify(value);
};

const plantFile = (file: string, planting: Planting): string =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => `${plantLine(line, planting)}\n`)
    .join("");

/** The stream of a captured run of Claude Code, with secrets in everything that it says, calls and gets. */
export const plantedStream = (capture: string, planting: Planting): string =>
  plantFile(join(captures, capture, "stdout.jsonl"), planting);

/** The transcript of that run, with a title that holds them as well. */
export const plantedTranscript = (
  capture: string,
  planting: Planting,
): { sessionId: string; text: string } => {
  const [name = ""] = globSync("projects/*/*.jsonl", { cwd: join(captures, capture) });
  const sessionId = /([^/]+)\.jsonl$/.exec(name)?.[1] ?? "";
  const title = JSON.stringify({ type: "ai-title", aiTitle: `Use ${planting.text}`, sessionId });
  return { sessionId, text: `${plantFile(join(captures, capture, name), planting)}${title}\n` };
};
