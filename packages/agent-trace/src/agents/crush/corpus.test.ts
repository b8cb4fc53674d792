import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import type { TraceItem } from "../../item.ts";
import { at, number, object, type JsonObject } from "../../jsonline.ts";
import { crush } from "./index.ts";
import { opencode } from "../opencode/index.ts";
import { corpusFiles, corpusSkip, Differences, sum, tally } from "../testing/corpus.ts";
import { readDatabase, testFolder } from "../testing/databases.ts";
import { collect, ofType, plainOptions } from "../testing/reading.ts";

/** Reads a copy of a database, with its write-ahead log or without. */
const read = (context: TestContext, path: string, wal: string | undefined): TraceItem[] => {
  const copy = join(testFolder(context), "crush.db");
  copyFileSync(path, copy);
  if (wal !== undefined) writeFileSync(`${copy}-wal`, gunzipSync(readFileSync(wal)));
  const database = readDatabase(context, copy);
  const agent = [crush, opencode].find(
    ({ transcript }) => transcript?.kind === "sqlite" && transcript.detect(database),
  );
  assert.equal(agent?.transcript?.kind, "sqlite");
  const { items, sink } = collect();
  const reader = agent.transcript.reader(database, plainOptions(copy));
  reader.poll(sink);
  reader.finish(sink);
  return items;
};

const compare = (
  differences: Differences,
  name: string,
  items: readonly TraceItem[],
  truth: JsonObject,
): void => {
  const calls = ofType(items, "tool_call");
  const sessions = ofType(items, "session");
  const check = (what: string, found: unknown, said: unknown = truth[what]): void => {
    differences.check(name, what, said, found);
  };
  check("session_ids", sessions.map(({ sessionId }) => sessionId).toSorted());
  check("child_sessions", sessions.filter(({ parentSessionId }) => parentSessionId !== undefined).length);
  check("tool_use", calls.length);
  check("tools", tally(calls.map(({ tool }) => tool)));
  check("tool_result", calls.filter(({ outcome }) => outcome !== "unanswered").length);
  check("tool_use_without_result", calls.filter(({ outcome }) => outcome === "unanswered").length);
  // The truth counts the flag; a shell's exit code makes an error without it.
  const flagged = calls.filter(
    ({ outcome, exitCode }) => outcome !== "ok" && outcome !== "unanswered" && exitCode === undefined,
  );
  check("tool_result_is_error", flagged.length);
  check(
    "user",
    ofType(items, "mark").filter(({ kind }) => kind === "user_message").length,
    at(truth, "messages", "user"),
  );
  const models = new Set(sessions.flatMap((session) => (session.models ?? []).map(({ model }) => model)));
  check("models", [...models].toSorted(), Object.keys(object(truth["models"]) ?? {}).toSorted());
  const top = ofType(items, "usage").map(({ costNanoUsd }) => costNanoUsd);
  check("cost", Math.abs(sum(top) - (number(truth["cost"]) ?? 0) * 1e9) <= 1000, true);
};

test(
  "crush: real databases hold what the truth says, with their WAL and without",
  { skip: corpusSkip },
  (context) => {
    const differences = new Differences();
    for (const { name, path, truth } of [...corpusFiles("crush/"), ...corpusFiles("opencode-go/")]) {
      const wal = existsSync(`${path}-wal.gz`) ? `${path}-wal.gz` : undefined;
      compare(differences, `${name} alone`, read(context, path, undefined), object(truth["db_alone"]) ?? {});
      if (wal !== undefined)
        compare(differences, `${name} with WAL`, read(context, path, wal), object(truth["with_wal"]) ?? {});
    }
    assert.deepEqual(differences.found, []);
  },
);
