import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { at, count, object, type JsonObject } from "../../jsonline.ts";
import { readPath } from "../../read/read-path.ts";
import { collector } from "../../testing/collect.ts";
import { corpusFiles, corpusSkip, Differences, sum, tally } from "../testing/corpus.ts";
import { ofType, plainOptions, readText } from "../testing/reading.ts";
import { rolloutReader } from "./transcript.ts";

/** Tools that the truth does not count results of: the provider runs them, and no output comes. */
const withoutOutput = (calls: readonly { tool: string }[]): number =>
  calls.filter(({ tool }) => tool === "web_search_call").length;

test("codex: real rollouts hold what the truth says", { skip: corpusSkip }, () => {
  const differences = new Differences();
  for (const { name, path, truth } of corpusFiles("codex/")) {
    const { items } = readText(rolloutReader(plainOptions(path)), readFileSync(path, "utf8"));
    const calls = ofType(items, "tool_call");
    const usage = ofType(items, "usage");
    const [session] = ofType(items, "session");
    const check = (what: string, read: unknown, said: unknown = truth[what]): void => {
      differences.check(name, what, said, read);
    };
    check("tool_use", calls.length);
    check("tools", tally(calls.map(({ tool }) => tool)));
    check(
      "tool_result",
      calls.filter(({ outcome }) => outcome !== "unanswered").length - withoutOutput(calls),
    );
    check("tool_use_without_result", calls.filter(({ outcome }) => outcome === "unanswered").length);
    check("tool_result_exit_nonzero", calls.filter(({ exitCode }) => (exitCode ?? 0) !== 0).length);
    check(
      "session_ids",
      ofType(items, "session").map(({ sessionId }) => sessionId),
    );
    check("parent_thread_ids", session?.parentSessionId === undefined ? [] : [session.parentSessionId]);
    check("first", session?.startedAt);
    check("last", session?.endedAt);
    const read = ofType(items, "usage").length === 0 ? [] : Object.keys(object(truth["models"]) ?? {});
    check(
      "models",
      (session?.models ?? []).map(({ model }) => model),
      read,
    );
    check("turns_aborted", ofType(items, "mark").filter(({ kind }) => kind === "interrupted").length);
    const tokens = object(truth["tokens"]);
    if (tokens === undefined) continue;
    check(
      "tokens.input",
      sum(usage.flatMap(({ input, cacheRead, cacheWrite5m }) => [input, cacheRead, cacheWrite5m])),
      tokens["input"],
    );
    check("tokens.cached_input", sum(usage.map(({ cacheRead }) => cacheRead)), tokens["cached_input"]);
    check("tokens.output", sum(usage.map(({ output }) => output)), tokens["output"]);
    check("tokens.reasoning", sum(usage.map(({ reasoning }) => reasoning)), tokens["reasoning"]);
  }
  assert.deepEqual(differences.found, []);
});

const kinds = (truth: JsonObject): number => count(at(truth, "types", "error")) ?? 0;

test("codex: real exec streams in logs hold what the truth says", { skip: corpusSkip }, () => {
  const differences = new Differences();
  for (const { name, path, truth } of corpusFiles("codex-exec/")) {
    const found = collector();
    readPath(path, found);
    const { items } = found;
    const usage = ofType(items, "usage");
    const results = ofType(items, "result");
    const ids = ofType(items, "session")
      .map(({ sessionId }) => sessionId)
      .filter((id) => id !== "unknown");
    const check = (what: string, read: unknown, said: unknown = truth[what]): void => {
      differences.check(name, what, said, read);
    };
    check("session_ids", ids.toSorted());
    check("turns_completed", results.filter(({ isError }) => !isError).length);
    check("turns_failed", results.filter(({ isError }) => isError).length);
    check("commands_failed", ofType(items, "tool_call").filter(({ outcome }) => outcome === "error").length);
    check("commands", ofType(items, "tool_call").length, count(at(truth, "items", "command_execution")));
    const errors = ofType(items, "mark").filter(({ kind }) => kind === "api_retry" || kind === "api_error");
    check("errors", errors.length, kinds(truth));
    const tokens = object(truth["tokens"]);
    check(
      "input_tokens",
      sum(usage.flatMap(({ input, cacheRead }) => [input, cacheRead])),
      tokens?.["input_tokens"],
    );
    check("output_tokens", sum(usage.map(({ output }) => output)), tokens?.["output_tokens"]);
    check("cached", sum(usage.map(({ cacheRead }) => cacheRead)), tokens?.["cached_input_tokens"]);
    check("reasoning", sum(usage.map(({ reasoning }) => reasoning)), tokens?.["reasoning_output_tokens"]);
  }
  assert.deepEqual(differences.found, []);
});
