import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at, number, object } from "../../jsonline.ts";
import { corpusFiles, corpusSkip, Differences, sum, tally } from "../testing/corpus.ts";
import { ofType, plainOptions, readText } from "../testing/reading.ts";
import { transcriptFields } from "./fields.ts";
import { sessionFileReader } from "./transcript.ts";

for (const agent of ["pi", "omp"] as const) {
  test(`${agent}: real session files hold what the truth says`, { skip: corpusSkip }, () => {
    const differences = new Differences();
    for (const { name, path, truth } of corpusFiles(`${agent}/`)) {
      const { items } = readText(
        sessionFileReader(agent, transcriptFields, plainOptions(path)),
        readFileSync(path, "utf8"),
      );
      const calls = ofType(items, "tool_call");
      const usage = ofType(items, "usage");
      const marks = ofType(items, "mark");
      const [session] = ofType(items, "session");
      const check = (what: string, read: unknown, said: unknown = truth[what]): void => {
        differences.check(name, what, said, read);
      };
      check("tool_use", calls.length);
      check("tools", tally(calls.map(({ tool }) => tool)));
      check("tool_result", calls.filter(({ outcome }) => outcome !== "unanswered").length);
      check(
        "tool_result_is_error",
        calls.filter(({ outcome }) => outcome === "error" || outcome === "denied").length,
      );
      check("tool_use_without_result", calls.filter(({ outcome }) => outcome === "unanswered").length);
      check(
        "session_ids",
        ofType(items, "session").map(({ sessionId }) => sessionId),
      );
      check("first", session?.startedAt);
      check("last", session?.endedAt);
      check(
        "models",
        (session?.models ?? []).map(({ model }) => model).toSorted(),
        Object.keys(object(truth["models"]) ?? {}).toSorted(),
      );
      check("compactions", marks.filter(({ kind }) => kind === "compaction").length);
      check(
        "user",
        marks.filter(({ kind }) => kind === "user_message").length,
        at(truth, "messages", "user"),
      );
      check(
        "aborted",
        marks.filter(({ kind }) => kind === "interrupted").length,
        at(truth, "stop_reasons", "aborted"),
      );
      check("tokens.input", sum(usage.map(({ input }) => input)), at(truth, "tokens", "input"));
      check("tokens.output", sum(usage.map(({ output }) => output)), at(truth, "tokens", "output"));
      check(
        "tokens.cache_read",
        sum(usage.map(({ cacheRead }) => cacheRead)),
        at(truth, "tokens", "cache_read"),
      );
      const written = sum(usage.flatMap(({ cacheWrite5m, cacheWrite1h }) => [cacheWrite5m, cacheWrite1h]));
      check("tokens.cache_create", written, at(truth, "tokens", "cache_create"));
      // The truth has six decimals.
      const cost = number(truth["cost"]) ?? 0;
      check("cost", Math.abs(sum(usage.map(({ costNanoUsd }) => costNanoUsd)) - cost * 1e9) <= 1000, true);
    }
    assert.deepEqual(differences.found, []);
  });
}
