import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { agents } from "../agents/registry.ts";
import type { AgentName } from "../item.ts";
import { parseJson } from "../jsonline.ts";
import { parsePriceTable, type PriceTable } from "../price/prices.ts";
import { pinnedPrices } from "../price/table.ts";
import { filesOf, locateSessions, machineContext, type FoundFile } from "../read/find.ts";
import { readRuleFiles, type RuleFile, RuleFileError } from "../redact/index.ts";
import { readPath, type ReadReport } from "../read/read-path.ts";
import { RecordFold } from "../totals/fold.ts";
import { tell } from "./tell.ts";

/** A fault of the command line or of its input: told on stderr, and the program ends with this code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The agent of that name. Throws a {@link CliError} that lists the names. */
export const agentOption = (name: string | undefined): AgentName | undefined => {
  if (name === undefined) return undefined;
  const agent = agents.find((each) => each.name === name);
  if (agent !== undefined) return agent.name;
  throw new CliError(`unknown agent "${name}"; there are ${agents.map((each) => each.name).join(", ")}`, 2);
};

/** The rule files that were named. */
export const rulesOption = (files: readonly string[] = []): readonly RuleFile[] => {
  try {
    return readRuleFiles(files);
  } catch (error) {
    if (error instanceof RuleFileError) throw new CliError(error.message, 1);
    throw error;
  }
};

/** The pinned prices, or those of a file. */
export const pricesOption = (file: string | undefined): PriceTable => {
  if (file === undefined) return pinnedPrices();
  const table = parsePriceTable(parseJson(readText(file)));
  if (table !== undefined) return table;
  throw new CliError(
    `${file} is no price table; it needs {"models": {"<name>": {"input": …, "output": …}}}`,
    1,
  );
};

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError(error instanceof Error ? error.message : String(error), 1);
  }
};

export interface Loaded {
  fold: RecordFold;
  reports: ReadReport[];
}

/** The files to read: the named ones, else every agent's sessions on this machine. Oldest first, so that a copy is one. */
export const chosenFiles = (paths: readonly string[], agent: AgentName | undefined): FoundFile[] => {
  const found = paths.length > 0 ? filesOf(paths) : locateSessions(machineContext());
  return found
    .filter((file) => paths.length > 0 || agent === undefined || file.agent === agent)
    .sort((a, b) => a.modified - b.modified);
};

/** Reads files into one record. A long scan shows how far it is on a terminal's stderr. */
export const load = (
  files: readonly FoundFile[],
  { agent, rules }: { agent: AgentName | undefined; rules: readonly RuleFile[] },
): Loaded => {
  const fold = new RecordFold();
  const progress = new Progress(files.reduce((sum, { bytes }) => sum + bytes, 0));
  const reports = files.map((file) => {
    const named = agent ?? file.agent;
    return readPath(
      file.path,
      { item: (item) => fold.add(item, file.path) },
      {
        home: homedir(),
        rules,
        onBytes: (bytes) => progress.add(bytes),
        ...(named === undefined ? {} : { agent: named }),
      },
    );
  });
  progress.end();
  return { fold, reports };
};

/**
 * Tells on stderr what could not be read, and gives how many files of the named paths could not. A folder may hold files
 * that are nobody's: these are counted, and are no fault.
 */
export const tellFaults = (reports: readonly ReadReport[], named: readonly string[]): number => {
  const faults = reports.filter(
    ({ outcome, path }) => outcome === "unreadable" || (outcome === "unknown" && named.includes(path)),
  );
  for (const report of faults)
    tell(`${report.path}: ${report.outcome === "unreadable" ? report.error : "no agent's record"}`);
  const foreign = reports.filter(({ outcome }) => outcome !== "read").length - faults.length;
  if (foreign > 0) tell(`${foreign} ${foreign === 1 ? "file is" : "files are"} no agent's record`);
  return named.length === 0 ? 0 : faults.length;
};

/** Bytes below which a scan is short, and how often the bar is drawn. */
const longScanBytes = 32 * 1024 * 1024;
const drawEveryMs = 100;

class Progress {
  readonly #total: number;
  readonly #shown: boolean;
  #done = 0;
  #drawn = 0;

  constructor(total: number) {
    this.#total = total;
    this.#shown = process.stderr.isTTY && total > longScanBytes;
  }

  add(bytes: number): void {
    this.#done += bytes;
    const now = performance.now();
    if (!this.#shown || now - this.#drawn < drawEveryMs) return;
    this.#drawn = now;
    const part = Math.min(this.#done / this.#total, 1);
    const bar = "█".repeat(Math.round(part * 30)).padEnd(30, "░");
    process.stderr.write(`\r${bar} ${Math.round(part * 100)} % of ${Math.round(this.#total / 1e6)} MB`);
  }

  end(): void {
    if (this.#shown) process.stderr.write(`\r${" ".repeat(60)}\r`);
  }
}
