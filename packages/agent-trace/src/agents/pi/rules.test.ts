import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentName, TraceItem } from "../../item.ts";
import { ofType, plainOptions, readText } from "../testing/reading.ts";
import { eventReader } from "./stream.ts";
import { streamFields, transcriptFields } from "./fields.ts";
import { sessionFileReader } from "./transcript.ts";

const began = Date.parse("2026-11-30T21:15:22.000Z");
const header = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-11-30T21:15:22.000Z",
  cwd: "/home/dev/proj",
};
const cost = (total: number) => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total });
const zero = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: cost(0) };
const some = {
  input: 80,
  output: 50,
  cacheRead: 900,
  cacheWrite: 120,
  totalTokens: 1150,
  cost: cost(0.00171),
  cacheWrite1h: 20,
};

const user = (ms: number, text: string): object => ({
  role: "user",
  content: [{ type: "text", text }],
  timestamp: began + ms,
});
const answer = (ms: number, fields: object): object => ({
  role: "assistant",
  content: [],
  provider: "fake",
  model: "fake-model",
  usage: some,
  stopReason: "stop",
  timestamp: began + ms,
  ...fields,
});
const failed = (ms: number): object =>
  answer(ms, { usage: zero, stopReason: "error", errorMessage: "529 Overloaded" });

let entries = 0;
const entry = (message: object, fields: object = {}): object => {
  entries += 1;
  const timestamp = new Date(began + entries * 1000).toISOString();
  return { type: "message", id: `e${entries}`, parentId: `e${entries - 1}`, timestamp, message, ...fields };
};
const text = (lines: readonly object[]): string => lines.map((line) => JSON.stringify(line)).join("\n");
const events = (lines: readonly object[], agent: AgentName = "pi"): TraceItem[] =>
  readText(eventReader(agent, streamFields, {}), text([header, ...lines])).items;
const file = (
  lines: readonly object[],
  agent: AgentName = "pi",
  path = "/home/dev/s/2026_s1.jsonl",
): TraceItem[] => readText(sessionFileReader(agent, transcriptFields, plainOptions(path)), text(lines)).items;
const kinds = (items: readonly TraceItem[]): string[] => ofType(items, "mark").map(({ kind }) => kind);

test("rule 16 a model error is told by stopReason, once, however many tries there were", () => {
  const tries = [1, 2, 3, 4].flatMap((n) => [
    { type: "agent_start" },
    { type: "message_end", message: failed(n * 100) },
    { type: "agent_end", messages: [], willRetry: n < 4 },
    ...(n < 4 ? [{ type: "auto_retry_start", attempt: n }] : [{ type: "agent_settled", aborted: false }]),
  ]);
  const items = events([{ type: "message_end", message: user(0, "go") }, ...tries]);
  assert.deepEqual(kinds(items), ["user_message", "api_retry", "api_retry", "api_retry", "api_error"]);
  assert.deepEqual(
    ofType(items, "result").map(({ isError, subtype }) => [isError, subtype]),
    [[true, "error"]],
  );
  assert.equal(ofType(items, "usage").length, 0);
});

test("rule 16 without agent_settled and willRetry a failure is settled by what comes next, or by the end", () => {
  const retried = events([
    { type: "message_end", message: failed(100) },
    { type: "agent_end", messages: [] },
    { type: "message_end", message: answer(200, { responseId: "r1" }) },
    { type: "agent_end", messages: [] },
  ]);
  assert.deepEqual(kinds(retried), ["api_retry"]);
  assert.deepEqual(
    ofType(retried, "result").map(({ isError }) => isError),
    [false],
  );
  assert.deepEqual(kinds(events([{ type: "message_end", message: failed(100) }])), ["api_error"]);
});

test("rule 16 aborted messages carry usage, and it counts", () => {
  const items = events([
    { type: "message_end", message: answer(100, { stopReason: "aborted", responseId: "r1" }) },
  ]);
  assert.deepEqual(
    ofType(items, "usage").map(({ output }) => output),
    [50],
  );
  assert.deepEqual(kinds(items), ["interrupted"]);
  assert.equal(ofType(items, "result")[0]?.isError, true);
});

test("rule 16 a header without a version, and entries without ids, are read", () => {
  const old = {
    type: "session",
    id: "s1",
    timestamp: header.timestamp,
    cwd: "/home/dev/proj",
    branchedFrom: "/x/2025-12_s0.jsonl",
  };
  const at = (ms: number) => new Date(began + ms).toISOString();
  const items = file([
    old,
    { type: "message", timestamp: at(1000), message: user(1000, "one") },
    { type: "message", timestamp: at(2000), message: answer(1500, {}) },
    { type: "compaction", timestamp: at(3000), summary: "…" },
    { type: "message", timestamp: at(4000), message: answer(3500, {}) },
  ]);
  assert.equal(ofType(items, "usage").length, 2);
  assert.deepEqual(kinds(items), ["user_message", "compaction"]);
  assert.equal(ofType(items, "session")[0]?.forkedFrom, "s0");
});

test("a branch that was left is counted, and a fork's copies keep their keys", () => {
  const shared = [entry(user(0, "one")), entry(answer(100, { responseId: "r1" }))];
  const other = entry(answer(200, { responseId: "r2" }), { parentId: "e1" });
  const here = ofType(file([header, ...shared, other]), "usage").map(({ key }) => key);
  const fork = ofType(file([{ ...header, id: "s2", parentSession: "/x/2026_s1.jsonl" }, ...shared]), "usage");
  assert.equal(here.length, 2);
  assert.deepEqual(
    fork.map(({ key }) => key),
    here.slice(0, 1),
  );
});

test("two responses of a server that gives all of them one id are two", () => {
  const items = file([
    header,
    entry(answer(100, { responseId: "chatcmpl-x" })),
    entry(answer(200, { responseId: "chatcmpl-x" })),
  ]);
  assert.equal(ofType(items, "usage").length, 2);
});

test("tokens and cost are read as written: two kinds of cache writes, and no cost where none is known", () => {
  const [priced, free] = ofType(
    file([header, entry(answer(100, {})), entry(answer(200, { usage: { ...some, cost: cost(0) } }))]),
    "usage",
  );
  assert.deepEqual(
    [
      priced?.input,
      priced?.output,
      priced?.cacheRead,
      priced?.cacheWrite5m,
      priced?.cacheWrite1h,
      priced?.costNanoUsd,
    ],
    [80, 50, 900, 100, 20, 1_710_000],
  );
  assert.equal(free?.costSource, "unknown");
  assert.equal(free.costNanoUsd, undefined);
});

const title = (words: string): object => ({
  type: "title",
  v: 1,
  title: words,
  updatedAt: header.timestamp,
  pad: " ".repeat(40),
});

test("rule 17 omp's first line is rewritten in place: title, session and the rest read the same", () => {
  const rest = [header, entry(user(0, "one")), entry(answer(100, { responseId: "r1" }))];
  const before = file([title(""), ...rest], "omp");
  // The name of the file need not tell the session's id.
  const after = file([title("A good name"), ...rest], "omp", "/home/dev/s/renamed.jsonl");
  assert.equal(ofType(before, "session")[0]?.title, undefined);
  assert.equal(ofType(after, "session")[0]?.title, "A good name");
  assert.deepEqual(ofType(after, "usage"), ofType(before, "usage"));
  const renamed = file(
    [title("A good name"), ...rest, { type: "title_change", title: "A better one" }],
    "omp",
  );
  assert.equal(ofType(renamed, "session")[0]?.title, "A better one");
});

test("rule 17 omp's output includes the reasoning", () => {
  const usage = { ...some, output: 40, reasoningTokens: 12 };
  const [only] = ofType(file([title(""), header, entry(answer(100, { usage }))], "omp"), "usage");
  assert.deepEqual([only?.output, only?.reasoning], [40, 12]);
});

test("rule 17 omp's end marker settles a failure; an end that was not normal is marked", () => {
  const exit = (kind: string): object => ({
    type: "custom",
    customType: "session_exit",
    id: "x",
    data: { kind, reason: "signal" },
  });
  const lines = [title(""), header, entry(failed(100))];
  assert.deepEqual(kinds(file([...lines, exit("normal"), entry(answer(900, {}))], "omp")), ["api_error"]);
  assert.deepEqual(kinds(file([...lines, exit("crash")], "omp")), ["api_error", "interrupted"]);
});

test("omp's sub-agents are sessions of their own with their parent's id", () => {
  const path = "/home/dev/.omp/agent/sessions/--p--/2026-11-30_s0/Counter.jsonl";
  const init = { type: "session_init", id: "i", task: "count" };
  const items = file(
    [title(""), { ...header, parentSession: "/x/2026-11-30_s0.jsonl" }, init, entry(answer(1, {}))],
    "omp",
    path,
  );
  const [session] = ofType(items, "session");
  assert.equal(session?.sessionId, "s1");
  assert.equal(session.parentSessionId, "s0");
  assert.equal(session.forkedFrom, undefined);
});

test("rule 20 unknown entries, events and roles are counted", () => {
  const items = [
    ...file([header, { type: "brand_new" }, entry({ role: "oracle" })]),
    ...events([{ type: "brand_new_event" }]),
  ];
  const names = ofType(items, "mark").flatMap(({ novelty }) => novelty?.name ?? []);
  assert.deepEqual(names, ["brand_new", "message/oracle", "brand_new_event"]);
});
