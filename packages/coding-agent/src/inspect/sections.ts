import { sha256 } from "./canonical.ts";

export interface PromptSection {
  heading: string;
  /** Of the body, without the line of the heading. */
  sha256: string;
  byteLength: number;
}

/** The fence a line opens or closes, such as four backticks. */
const fenceOf = (line: string): string | undefined => /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];

/** The fence that is open after a line. A closing fence has the same character, is as long, and says nothing else. */
const fenceAfter = (open: string | undefined, line: string): string | undefined => {
  const marks = fenceOf(line);
  if (open === undefined || marks === undefined) return open ?? marks;
  const closes = marks.startsWith(open) && line.trim() === marks;
  return closes ? undefined : open;
};

/**
 * The parts of a prompt between its top-level headings (`# …`). What stands before the first is `preamble`, unless it is
 * blank. A line inside of a fence is no heading.
 */
export const promptSections = (prompt: string): PromptSection[] => {
  const parts: { heading: string; lines: string[] }[] = [{ heading: "preamble", lines: [] }];
  let open: string | undefined;
  for (const line of prompt.split("\n")) {
    const heading = open === undefined ? /^# +(.*\S)/u.exec(line)?.[1] : undefined;
    open = fenceAfter(open, line);
    if (heading === undefined) parts.at(-1)?.lines.push(line);
    else parts.push({ heading, lines: [] });
  }
  return parts
    .map(({ heading, lines }) => ({ heading, body: lines.join("\n") }))
    .filter(({ heading, body }) => heading !== "preamble" || body.trim() !== "")
    .map(({ heading, body }) => ({ heading, sha256: sha256(body), byteLength: Buffer.byteLength(body) }));
};
