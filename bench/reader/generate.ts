import { closeSync, globSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const agents = join(import.meta.dirname, "..", "..", "packages", "agent-trace", "src", "agents");

/** A capture that is written again and again under new ids, its tool results filled up to the size that results have. */
export type Template = "claude-code" | "codex";

const templates: Readonly<Record<Template, string>> = {
  "claude-code": "claude-code/fixtures/transcripts/basic/*.jsonl",
  codex: "codex/fixtures/basic/rollout-*.jsonl",
};

const words =
  "the build of a shop reads its price list then fails on line twelve because export was not found in main".split(
    " ",
  );

/** Text that no run of its makes alike, from a seed: what a tool printed. */
const filler = (seed: number, bytes: number): string => {
  let text = "";
  for (let at = seed; text.length < bytes; at += 7) {
    text += `${words[at % words.length] ?? ""} ${at % 11 === 0 ? `src/part${at % 97}.ts:${at % 500}: ` : ""}`;
    if (at % 13 === 0) text += "\\n";
  }
  return text;
};

const linesOf = (template: Template): string[] => {
  const [file] = globSync(templates[template], { cwd: agents });
  if (file === undefined) throw new Error(`there is no capture of ${template}`);
  return readFileSync(join(agents, file), "utf8").trimEnd().split("\n");
};

/** Ids that must differ from one round to the next. */
const ids = /(?:msg|toolu|req|call|resp)_[\w]+|item_\d+|(?<="(?:uuid|parentUuid|turn_id)":")[\w-]{36}/g;

/**
 * One round of the capture, about `resultBytes` in each tool result. A session's head is in the first round only; of Claude
 * Code's `api-request` lines, which are nine tenths of its newest files, as many as the capture has are kept if asked.
 */
const roundOf = (lines: readonly string[], round: number, resultBytes: number): string => {
  let text = "";
  for (const [index, line] of lines.entries()) {
    if (round > 0 && line.includes('"type":"session_meta"')) continue;
    const own = line.replaceAll(ids, (id) => `${id.slice(0, -6)}${String(round).padStart(6, "0")}`);
    const filled = own.replace(
      /("(?:content|output|aggregated_output)":")([^"\\]{8,})/,
      (_all, head: string, said: string) =>
        `${head}${said} ${filler(round * 31 + index, resultBytes * ((index % 5) / 2))}`,
    );
    text += `${filled}\n`;
  }
  return text;
};

/** Writes a transcript of about `bytes`. Returns how many bytes it has. */
export const generate = (
  path: string,
  template: Template,
  bytes: number,
  options: { apiRequests?: boolean } = {},
): number => {
  const lines = linesOf(template).filter(
    (line) => options.apiRequests === true || !line.startsWith('{"type":"api-request'),
  );
  const file = openSync(path, "w");
  let written = 0;
  for (let round = 0; written < bytes; round += 1) written += writeSync(file, roundOf(lines, round, 1500));
  closeSync(file);
  return written;
};
