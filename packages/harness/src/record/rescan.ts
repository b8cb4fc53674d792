import { existsSync, renameSync, rmSync } from "node:fs";
import { agentNamed } from "@orphus/agent-trace";
import type { AgentName } from "@orphus/agent-trace/item";
import { createRedactor, type Redactor, type RuleFile } from "@orphus/agent-trace/redact";
import type { StatePaths } from "../base/paths.ts";
import type { RunRef } from "../store/read.ts";
import type { RowMask } from "../store/rescan-rows.ts";
import type { Store } from "../store/store.ts";
import { maskFile, type MaskedFile, rescanned } from "./mask-file.ts";

export interface RescanDeps {
  store: Store;
  paths: StatePaths;
  rules: readonly RuleFile[];
}

/** What a rescan came to. */
export interface Rescanned {
  /** Runs whose record was looked at again. */
  runs: number;
  /** Rows of the store in which something was masked. */
  rows: number;
  /** Lines of stream files and run logs in which something was masked. */
  lines: number;
  /** Old bytes may be left in free pages of the store or in its log, because a reader was in the way. */
  compactionDue: boolean;
}

/** Where ids stand in the items of the store and in the totals of the ledger. */
const ITEM_IDS = [
  "key",
  "sessionId",
  "parentSessionId",
  "parentCallId",
  "childSessionId",
  "messageId",
  "forkedFrom",
  "request.id",
  "request.sha256",
  "sessions.*.id",
];

/**
 * Puts files in place that an earlier rescan had masked and committed when it ended. Called before anything else reads
 * them, by whoever holds the state folder.
 */
export const finishRescans = ({ store, paths }: Pick<RescanDeps, "store" | "paths">): void => {
  for (const run of store.rescans.pending()) place(store, paths, run);
};

/**
 * Masks everything that is on record of ended runs under the current rules, run by run. Each is committed by itself: after
 * a kill at any point the next call goes on with the rest.
 */
export const rescan = async (deps: RescanDeps, ruleSet: string): Promise<Rescanned> => {
  const { store } = deps;
  finishRescans(deps);
  const total = { runs: 0, rows: 0, lines: 0 };
  for (const run of store.rescans.look(ruleSet).stale) {
    const { rows, lines } = await rescanRun(deps, run, ruleSet);
    total.runs += 1;
    total.rows += rows;
    total.lines += lines;
  }
  if (store.rescans.compactionDue) store.rescans.compact();
  return { ...total, compactionDue: store.rescans.compactionDue };
};

const rescanRun = async (
  { store, paths, rules }: RescanDeps,
  run: RunRef,
  ruleSet: string,
): Promise<{ rows: number; lines: number }> => {
  const redactor = createRedactor({ rules, idPaths: ITEM_IDS });
  const stream = await maskStream(
    paths.stream(run.harness, run.runId),
    rules,
    store.read.run(run)?.agent ?? "claude-code",
  );
  const log = await maskLog(store, paths, run, redactor);
  const rows = store.rescans.replace(
    run,
    rowMask(redactor),
    {
      ...(stream === undefined ? {} : { stream: { bytes: stream.bytes, sha256: stream.sha256 } }),
      ...(log === undefined ? {} : { logOffset: log.offset }),
    },
    ruleSet,
  );
  place(store, paths, run);
  return { rows, lines: (stream?.lines ?? 0) + (log?.lines ?? 0) };
};

const rowMask = (redactor: Redactor): RowMask => ({
  text: redactor.redact,
  item: redactor.jsonLine,
  id: (id) => {
    const masked: unknown = JSON.parse(redactor.jsonLine(JSON.stringify({ key: id })));
    return typeof masked === "object" && masked !== null && "key" in masked ? String(masked.key) : id;
  },
});

const maskStream = async (
  path: string,
  rules: readonly RuleFile[],
  agent: AgentName,
): Promise<MaskedFile | undefined> => {
  // Ids are left to what proves itself, as when the line came in.
  const lines = createRedactor({ rules, idPaths: agentNamed(agent)?.idPaths ?? [] }).lines();
  return maskFile(path, (line) => lines.json(line));
};

const maskLog = async (
  store: Store,
  paths: StatePaths,
  run: RunRef,
  redactor: Redactor,
): Promise<MaskedFile | undefined> => {
  // A private key is open in one channel, whatever the other says in between.
  const channels = { stdout: redactor.lines(), stderr: redactor.lines() };
  const segments = store.rescans.segments(run);
  let next = 0;
  return maskFile(
    paths.runLog(run.harness, run.runId),
    (line, at) => {
      while (next < segments.length && (segments[next]?.to ?? 0) <= at) next += 1;
      const segment = segments[next];
      const inside = segment !== undefined && segment.from <= at;
      return inside ? channels[segment.channel].text(line) : redactor.redact(line);
    },
    segments.flatMap(({ from, to }) => [from, to]),
  );
};

const place = (store: Store, paths: StatePaths, { harness, runId }: RunRef): void => {
  for (const path of [paths.stream(harness, runId), paths.runLog(harness, runId)]) {
    if (!existsSync(rescanned(path))) continue;
    // Its run may have been pruned meanwhile.
    if (existsSync(path)) renameSync(rescanned(path), path);
    else rmSync(rescanned(path));
  }
  store.rescans.placed({ harness, runId });
};
