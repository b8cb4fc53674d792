import { bool, int, obj, opt, str } from "@earendil-works/pi-schema";
import { defineTool, type RunningCall } from "./define.ts";
import { absolute, onFile } from "./files.ts";
import { head } from "./limits.ts";
import { textResult, ToolError } from "./tool.ts";
import { filesUnder, globExpression } from "./walk.ts";

const DEFAULT_LIMIT = 100;
/** Of a longer line only this much is shown. */
const MAX_LINE = 500;
/** Larger files are passed over. */
const MAX_FILE_BYTES = 10 * 1_024 * 1_024;

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");

const expressionOf = (pattern: string, literal: boolean, ignoreCase: boolean): RegExp => {
  try {
    return new RegExp(literal ? escape(pattern) : pattern, ignoreCase ? "iu" : "u");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError("bad_pattern", `${reason}; set literal to look for the text as it is`);
  }
};

const textIn = async (path: string, call: RunningCall): Promise<string | undefined> => {
  const { fs } = call.capabilities;
  if (((await fs.stat(path))?.size ?? 0) > MAX_FILE_BYTES) return undefined;
  try {
    const text = await fs.readFile(path);
    return text.includes("\0") ? undefined : text;
  } catch {
    // Not ours to read, or gone meanwhile.
    return undefined;
  }
};

/** Lines around each match, in the manner of grep: `file:12:` for a match, `file-11-` for its surroundings. */
const linesAround = (
  shown: string,
  lines: readonly string[],
  matches: readonly number[],
  context: number,
) => {
  const isMatch = new Set(matches);
  const wanted = new Set(
    matches.flatMap((at) => Array.from({ length: 2 * context + 1 }, (_, index) => at - context + index)),
  );
  return [...wanted]
    .filter((at) => at >= 0 && at < lines.length)
    .sort((a, b) => a - b)
    .map((at) => {
      const mark = isMatch.has(at) ? ":" : "-";
      return `${shown}${mark}${at + 1}${mark}${(lines[at] ?? "").slice(0, MAX_LINE)}`;
    });
};

/** Finds text in files. */
export const grepTool = defineTool({
  name: "grep",
  label: "Grep",
  description: "Finds lines by a regular expression (JavaScript). Does not look into .git and node_modules.",
  parameters: obj({
    pattern: str({ minLength: 1, description: "Regular expression, or text with literal." }),
    path: opt(str({ description: "File or folder; the working directory unless given." })),
    glob: opt(str({ minLength: 1, description: "Only files that fit, such as *.ts." })),
    ignoreCase: opt(bool({ description: "Upper and lower case are the same." })),
    literal: opt(bool({ description: "The pattern is text as it is." })),
    context: opt(int({ minimum: 0, maximum: 20, description: "Lines around each match." })),
    limit: opt(int({ minimum: 1, description: `Matches at most; ${DEFAULT_LIMIT} unless given.` })),
  }),
  async run(
    { pattern, path = ".", glob, ignoreCase = false, literal = false, context = 0, limit = DEFAULT_LIMIT },
    call,
  ) {
    const root = absolute(path, call);
    if ((await onFile(path, call.capabilities.fs.stat(root))) === undefined)
      throw new ToolError("ENOENT", `${path}: no such file or folder`);
    const expression = expressionOf(pattern, literal, ignoreCase);
    const fits = glob === undefined ? undefined : globExpression(glob);
    const output: string[] = [];
    let left = limit;
    let cut = false;
    for await (const file of filesUnder(call.capabilities.fs, root, call.signal)) {
      if (fits?.test(file.shown) === false) continue;
      const lines = (await textIn(file.path, call))?.split("\n") ?? [];
      const matches = lines.flatMap((line, at) => (expression.test(line) ? [at] : []));
      cut = matches.length > left;
      output.push(...linesAround(file.shown, lines, matches.slice(0, left), context));
      left -= Math.min(left, matches.length);
      if (cut) break;
    }
    if (output.length === 0) return textResult("Nothing found.");
    const shown = head(output);
    return textResult(
      shown.lines.join("\n") + (cut || shown.cut ? "\n[There are more. Narrow the pattern.]" : ""),
    );
  },
});
