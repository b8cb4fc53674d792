import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TraceItem } from "../../item.ts";
import { at, number, object, objects, parseJson, string, type JsonObject } from "../../jsonline.ts";
import { corpusFiles, corpusSkip, Differences, sum, tally } from "../testing/corpus.ts";
import { readDatabase, testFolder } from "../testing/databases.ts";
import { collect, ofType, plainOptions } from "../testing/reading.ts";
import { opencode } from "./index.ts";

const compare = (
  differences: Differences,
  name: string,
  items: readonly TraceItem[],
  truth: JsonObject,
): void => {
  const id = string(at(truth, "session", "id"));
  const own = items.filter(({ sessionId }) => sessionId === id);
  const calls = ofType(own, "tool_call");
  const usage = ofType(own, "usage");
  const [session] = ofType(own, "session");
  const check = (what: string, read: unknown, said: unknown): void => {
    differences.check(name, what, said, read);
  };
  check("session", session?.sessionId, id);
  check(
    "parent",
    session?.parentSessionId,
    at(truth, "session", "parentID") ?? at(truth, "session", "parent_id"),
  );
  check("version", session?.agentVersion, at(truth, "session", "version"));
  const created =
    number(at(truth, "session", "time", "created")) ?? number(at(truth, "session", "time_created")) ?? 0;
  check("first", session?.startedAt, new Date(created).toISOString());
  check("tool_use", calls.length, truth["tool_use"]);
  // Two calls whose ids were blanked are one here; the truth counts the tools of both.
  const isBlanked = calls.some(({ key }) => key === "REDACTED");
  check("tools", tally(calls.map(({ tool }) => tool)), isBlanked ? undefined : truth["tools"]);
  const models = (session?.models ?? []).map(({ model, provider }) => `${provider ?? ""}/${model}`);
  check("models", models.toSorted(), Object.keys(object(truth["models"]) ?? {}).toSorted());
  const marks = ofType(own, "mark").filter(({ kind }) => kind === "api_error" || kind === "interrupted");
  check("message_errors", marks.length, truth["message_errors"]);
  const tokens = object(truth["tokens"]);
  check("tokens.input", sum(usage.map(({ input }) => input)), tokens?.["input"]);
  check("tokens.cache_read", sum(usage.map(({ cacheRead }) => cacheRead)), tokens?.["cache_read"]);
  check("tokens.cache_create", sum(usage.map(({ cacheWrite5m }) => cacheWrite5m)), tokens?.["cache_create"]);
  check("tokens.reasoning", sum(usage.map(({ reasoning }) => reasoning)), tokens?.["reasoning"]);
  // The truth has `output` as written: with the reasoning in it, or without.
  const output = sum(usage.map((each) => each.output));
  const written = number(tokens?.["output"]) ?? 0;
  const reasoning = number(tokens?.["reasoning"]) ?? 0;
  check("tokens.output", output === written || output === written + reasoning ? written : output, written);
  const cost = sum(usage.map(({ costNanoUsd }) => costNanoUsd));
  check("cost", Math.abs(cost - (number(truth["cost"]) ?? 0) * 1e9) <= 1000, true);
};

test("opencode: real exports and databases hold what the truth says", { skip: corpusSkip }, (context) => {
  const differences = new Differences();
  assert.equal(opencode.transcript?.kind, "sqlite");
  for (const { name, path, truth } of corpusFiles("opencode/")) {
    const { items, sink } = collect();
    if (path.endsWith(".json")) {
      const document = parseJson(readFileSync(path, "utf8")) ?? null;
      assert.ok(opencode.document);
      assert.ok(opencode.document.detect(document), name);
      opencode.document.read(document, sink, plainOptions(path));
      compare(differences, name, items, truth);
      continue;
    }
    const copy = join(testFolder(context), "opencode.db");
    copyFileSync(path, copy);
    const database = readDatabase(context, copy);
    assert.ok(opencode.transcript.detect(database), name);
    const reader = opencode.transcript.reader(database, plainOptions(copy));
    reader.poll(sink);
    reader.finish(sink);
    for (const each of objects(truth["sessions"])) compare(differences, name, items, each);
  }
  assert.deepEqual(differences.found, []);
});
