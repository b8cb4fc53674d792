import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { at, object, parseJson } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";
import { corpusFiles, corpusSkip, Differences, sum, tally } from "../testing/corpus.ts";
import { collect, ofType, plainOptions, settled } from "../testing/reading.ts";
import { isGeminiSession, readGeminiSession } from "./document.ts";
import { gemini } from "./index.ts";

const message = (id: string, type: string, fields: object = {}): object => ({
  id,
  type,
  timestamp: "2026-01-15T20:51:52.837Z",
  content: "hello",
  ...fields,
});
const call = (id: string, status: string, response: object): object => ({
  id,
  name: "run_shell_command",
  args: { command: "npm test" },
  status,
  timestamp: "2026-01-15T20:51:53.000Z",
  result: [{ functionResponse: { id, response } }],
});
const document = (messages: object[], lastUpdated = "2026-01-15T20:52:00.000Z"): JsonValue => {
  const session = {
    sessionId: "s1",
    projectHash: "p",
    startTime: "2026-01-15T20:51:48.000Z",
    lastUpdated,
    messages,
  };
  return parseJson(JSON.stringify(session)) ?? null;
};
const read = (value: JsonValue) => {
  const { items, sink } = collect();
  readGeminiSession(value, sink, plainOptions("/x.json"));
  return items;
};

test("gemini: input includes the cached part, output excludes the thoughts: the record's counts are disjoint", () => {
  const tokens = { input: 6442, output: 27, cached: 5705, thoughts: 37, tool: 3, total: 6509 };
  const [only] = ofType(
    read(document([message("u", "user"), message("g", "gemini", { model: "m", tokens })])),
    "usage",
  );
  assert.deepEqual(
    [only?.input, only?.cacheRead, only?.output, only?.reasoning, only?.turn],
    [740, 5705, 64, 37, 1],
  );
});

test("gemini: calls are answered, failed, refused or open by their status", () => {
  const toolCalls = [
    call("c1", "success", { output: "ok" }),
    call("c2", "error", { error: "no such file" }),
    call("c3", "cancelled", { error: "[Operation Cancelled]" }),
    call("c4", "executing", {}),
  ];
  const calls = ofType(read(document([message("g", "gemini", { model: "m", toolCalls })])), "tool_call");
  assert.deepEqual(
    calls.map(({ outcome }) => outcome),
    ["ok", "error", "denied", "unanswered"],
  );
  assert.ok(calls.every(({ messageId, action }) => messageId === "g" && action === "verify"));
});

test("gemini: the document is written anew, and a later one is the next revision of all that is in it", () => {
  const before = read(document([message("g", "gemini", { toolCalls: [call("c1", "executing", {})] })]));
  const later = document(
    [message("g", "gemini", { toolCalls: [call("c1", "success", { output: "" })] })],
    "2026-01-15T20:53:00.000Z",
  );
  const [only] = ofType(settled([...before, ...read(later)]), "tool_call");
  assert.equal(only?.outcome, "ok");
});

test("gemini: real sessions hold what the truth says", { skip: corpusSkip }, () => {
  const differences = new Differences();
  for (const { name, path, truth } of corpusFiles("gemini/")) {
    const value = parseJson(readFileSync(path, "utf8")) ?? null;
    assert.ok(isGeminiSession(value), name);
    const items = read(value);
    const usage = ofType(items, "usage");
    const calls = ofType(items, "tool_call");
    const [session] = ofType(items, "session");
    const check = (what: string, found: unknown, said: unknown = truth[what]): void => {
      differences.check(name, what, said, found);
    };
    const reasoning = sum(usage.map((each) => each.reasoning));
    check("session_ids", [session?.sessionId]);
    check("first", session?.startedAt);
    check("last", session?.endedAt);
    check(
      "models",
      session?.models?.map(({ model }) => model),
      Object.keys(object(truth["models"]) ?? {}),
    );
    check("tool_use", calls.length);
    check("tools", tally(calls.map(({ tool }) => tool)));
    check(
      "errors",
      calls.filter(({ outcome }) => outcome === "error").length,
      at(truth, "tool_status", "error"),
    );
    check(
      "user",
      ofType(items, "mark").filter(({ kind }) => kind === "user_message").length,
      at(truth, "messages", "user"),
    );
    check(
      "input",
      sum(usage.flatMap(({ input, cacheRead }) => [input, cacheRead])),
      at(truth, "tokens", "input"),
    );
    check("cached", sum(usage.map(({ cacheRead }) => cacheRead)), at(truth, "tokens", "cached"));
    check("output", sum(usage.map(({ output }) => output)) - reasoning, at(truth, "tokens", "output"));
    check("thoughts", reasoning, at(truth, "tokens", "thoughts"));
  }
  assert.deepEqual(differences.found, []);
});

test("gemini: no document makes the reader throw", () => {
  assert.equal(gemini.transcript?.kind, "document");
  const hostile = fc.record(
    {
      sessionId: fc.oneof(fc.constant("s"), fc.jsonValue()),
      messages: fc.array(fc.jsonValue({ maxDepth: 6 })),
      startTime: fc.jsonValue(),
    },
    { requiredKeys: ["sessionId"] },
  );
  const typed = fc.array(
    fc.record({
      type: fc.constantFrom("user", "gemini", "error", "x"),
      tokens: fc.jsonValue(),
      toolCalls: fc.array(fc.jsonValue()),
    }),
  );
  fc.assert(
    fc.property(hostile, (value) => void read(parseJson(JSON.stringify(value)) ?? null)),
    { numRuns: 200 },
  );
  fc.assert(
    fc.property(typed, (messages) => void read(document(messages))),
    { numRuns: 200 },
  );
});
