import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One captured run of the real CLI. */
export interface Capture {
  info: CaptureInfo;
  /** Lines of stdout, in order. */
  stdout: Timed[];
  stderr: string;
  /** Files of `~/.claude/projects`, path relative to that folder. */
  transcripts: { path: string; lines: Timed[] }[];
}

/** A line without its newline, and when it came: milliseconds from the start of the run. */
export interface Timed {
  atMs: number;
  text: string;
}

/** `run.json` */
export interface CaptureInfo {
  version: string;
  prompt: string;
  cwd: string;
  home: string;
  startedAt: string;
  wallMs: number;
  exitCode: number;
  /** The run was ended by a signal; without one it would have gone on. */
  killed?: { signal: string; atMs: number };
  /** The capture of the run that continued this one's session. */
  continuedBy?: string;
}

const lines = (file: string): string[] => readFileSync(file, "utf8").split("\n").filter(Boolean);

/** A transcript line carries its time or comes with the line before it. */
const timed = (file: string, info: CaptureInfo): Timed[] => {
  const startedAt = Date.parse(info.startedAt);
  let atMs = 0;
  return lines(file).map((text) => {
    const time = /"timestamp":"([^"]+)"/.exec(text)?.[1];
    // Totals are written when the process ends.
    if (text.startsWith('{"type":"cost-state"')) return { atMs: info.killed?.atMs ?? info.wallMs, text };
    if (time !== undefined) atMs = Math.max(atMs, Date.parse(time) - startedAt);
    return { atMs, text };
  });
};

const readInfo = (file: string): CaptureInfo =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own file: a test plays each of them
  JSON.parse(readFileSync(file, "utf8")) as CaptureInfo;

/** Loads `captures/<name>`. @throws when there is none. */
export const loadCapture = (root: string, name: string): Capture => {
  const dir = join(root, name);
  if (!existsSync(join(dir, "run.json"))) {
    const names = globSync("*/*/run.json", { cwd: root }).map((file) => file.replace("/run.json", ""));
    throw new Error(`player: no capture ${name}; there are ${names.sort().join(", ")}`);
  }
  const info = readInfo(join(dir, "run.json"));
  const times = lines(join(dir, "stdout.times.tsv")).map((line) => Number.parseInt(line, 10));
  const projects = join(dir, "projects");
  return {
    info,
    stdout: lines(join(dir, "stdout.jsonl")).map((text, index) => ({ atMs: times[index] ?? 0, text })),
    stderr: readFileSync(join(dir, "stderr.txt"), "utf8"),
    transcripts: globSync("**/*.{jsonl,json}", { cwd: projects })
      .sort()
      .map((path) => ({ path, lines: timed(join(projects, path), info) })),
  };
};
