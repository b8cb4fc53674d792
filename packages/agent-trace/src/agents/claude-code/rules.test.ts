import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { TraceItem, UsageItem } from "../../item.ts";
import { object, parseJson, strings, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";
import { normalizeText, ofType, readTranscript, settled } from "../../testing/collect.ts";
import { claudeCode } from "./index.ts";

/** The rules of getting Claude Code's record right, each on lines as real versions wrote them. */

const session = "6f1c2b58-0000-4000-8000-000000000001";
const head = { sessionId: session, isSidechain: false, version: "2.1.98", cwd: "/home/dev/proj" };
const usage = (output: number, more: JsonObject = {}): JsonObject => ({
  input_tokens: 10,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  ...more,
});
let lines = 0;
const assistant = (
  id: string,
  output: number,
  more: JsonObject = {},
  message: JsonObject = {},
): JsonObject => ({
  ...head,
  type: "assistant",
  uuid: `u${(lines += 1)}`,
  timestamp: "2026-04-01T10:00:00.000Z",
  message: { id, model: "m", stop_reason: "end_turn", usage: usage(output), content: [], ...message },
  ...more,
});
const text = (records: readonly JsonValue[]): string =>
  records.map((record) => JSON.stringify(record)).join("\n");
const read = (records: readonly JsonValue[], path = `/p/${session}.jsonl`): TraceItem[] =>
  settled(readTranscript(claudeCode, path, text(records).split("\n")).items);
const usageOf = (records: readonly JsonValue[]): UsageItem[] => ofType(read(records), "usage");

test("rule 1 one response is several lines with one id: it counts once, and the last line wins", () => {
  const found = usageOf([assistant("a", 2), assistant("a", 300), assistant("a", 250), assistant("b", 5)]);
  assert.deepEqual(
    found.map(({ key, output }) => [key, output]),
    [
      ["a", 250],
      ["b", 5],
    ],
  );
});

test("rule 2 a placeholder is never shown as the truth: 2.1.12 to 2.1.29, and every response on stdout", () => {
  const placeholder = { stop_reason: null };
  assert.equal(usageOf([assistant("a", 3, { version: "2.1.17" }, placeholder)])[0]?.exact, false);
  assert.equal(usageOf([assistant("a", 300, { version: "1.0.111" }, placeholder)])[0]?.exact, true);
  const stream = readFileSync(join(import.meta.dirname, "fixtures", "basic.stream.jsonl"), "utf8");
  const spoken = ofType(normalizeText(stream).items, "usage");
  assert.ok(spoken.filter(({ covers }) => covers === "response").every(({ exact }) => !exact));
  assert.deepEqual(
    spoken.filter(({ covers }) => covers === "turn").map(({ key, exact, output }) => [key, exact, output]),
    [["turn:1", true, 215]],
  );
});

test("rule 3 a response that comes again is the same item; equal figures under another id are another response", () => {
  const copied = usageOf([assistant("a", 7), assistant("b", 8), assistant("a", 7)]);
  assert.deepEqual(
    copied.map(({ key }) => key),
    ["a", "b"],
  );
  assert.equal(usageOf([assistant("a", 7), assistant("b", 7)]).length, 2);
});

test("rule 4 a sub-agent is a session of its own, from its own file; the copies in its parent are not counted", () => {
  const parent = [
    assistant("a", 5, {}, { content: [{ type: "tool_use", id: "t1", name: "Task", input: {} }] }),
    {
      ...head,
      type: "progress",
      uuid: "p1",
      parentToolUseID: "t1",
      data: { type: "agent_progress", agentId: "abc", message: { message: { id: "x", usage: usage(1) } } },
    },
    {
      ...head,
      type: "user",
      uuid: "r1",
      message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "done" }] },
    },
  ];
  const items = read(parent);
  assert.deepEqual(
    ofType(items, "usage").map(({ key }) => key),
    ["a"],
  );
  assert.equal(ofType(items, "tool_call")[0]?.childSessionId, `${session}/abc`);
  const fixture = join(import.meta.dirname, "fixtures", "transcripts", "subagent");
  const file = join(fixture, "e9e93d6e-f8db-4f9f-890b-4d4b5d72f8c1/subagents/agent-a1817fad7a32583a4.jsonl");
  const [child] = ofType(readTranscript(claudeCode, file).items, "session");
  assert.equal(child?.sessionId, "e9e93d6e-f8db-4f9f-890b-4d4b5d72f8c1/a1817fad7a32583a4");
  assert.equal(child.parentSessionId, "e9e93d6e-f8db-4f9f-890b-4d4b5d72f8c1");
  assert.equal(child.parentCallId, "toolu_01fake0002");
});

test("rule 4 inline side lines of 1.x hang together by their parents, also when two agents' lines alternate", () => {
  const side = (uuid: string, parentUuid: string | null, id: string): JsonObject =>
    assistant(id, 1, { version: "1.0.71", isSidechain: true, uuid, parentUuid });
  const items = read([
    side("x1", null, "a"),
    side("y1", null, "b"),
    side("x2", "x1", "c"),
    side("y2", "y1", "d"),
  ]);
  assert.deepEqual(
    ofType(items, "usage").map(({ key, sessionId }) => [key, sessionId]),
    [
      ["a", `${session}/x1`],
      ["b", `${session}/y1`],
      ["c", `${session}/x1`],
      ["d", `${session}/y1`],
    ],
  );
});

test("rule 5 a result's usage is the main agent's turn; its cost is the session's with sub-agents; several results stay apart", () => {
  const stream = readFileSync(join(import.meta.dirname, "fixtures", "subagent.stream.jsonl"), "utf8");
  const items = normalizeText(stream).items;
  const results = ofType(items, "result");
  assert.equal(results.length, 2);
  for (const { claims } of results) {
    assert.deepEqual(
      claims.map(({ since, subagents }) => [since, subagents]),
      [
        ["session", "in"],
        ["turn", "out"],
      ],
    );
  }
  const turns = ofType(items, "usage").filter(({ covers }) => covers === "turn");
  assert.deepEqual(
    turns.map(({ key }) => key),
    ["turn:1", "turn:2"],
  );
});

test("rule 6 a success that is an error is one; a stream that was cut off has no result and keeps what came before", () => {
  const items = (name: string): TraceItem[] =>
    normalizeText(readFileSync(join(import.meta.dirname, "fixtures", `${name}.stream.jsonl`), "utf8")).items;
  const [failed] = ofType(items("error-401"), "result");
  assert.deepEqual([failed?.subtype, failed?.isError], ["success", true]);
  assert.deepEqual(ofType(items("killed-sigint"), "result"), []);
  assert.ok(ofType(items("killed-sigint"), "usage").length > 0);
});

test("rule 7 hook lines come before init, an error flag may be missing, a result is a string or a list", () => {
  const line = (record: JsonObject): string => JSON.stringify({ session_id: "s", ...record });
  const call = (id: string): JsonObject => ({ type: "tool_use", id, name: "Bash", input: { command: "ls" } });
  const result = (id: string, content: JsonValue): JsonObject => ({
    type: "tool_result",
    tool_use_id: id,
    content,
  });
  const { items, unreads } = normalizeText(
    [
      line({ type: "system", subtype: "hook_started", hook_name: "SessionStart" }),
      line({ type: "system", subtype: "init", cwd: "/p" }),
      line({ type: "assistant", message: { id: "m", content: [call("a"), call("b")] } }),
      line({
        type: "user",
        message: { content: [result("a", "four"), result("b", [{ type: "text", text: "five5" }])] },
      }),
    ].join("\n"),
  );
  assert.deepEqual(unreads, []);
  assert.deepEqual(
    ofType(items, "tool_call").map(({ key, outcome, resultBytes }) => [key, outcome, resultBytes]),
    [
      ["a", "ok", 4],
      ["b", "ok", 5],
    ],
  );
});

test("rule 8 two objects on a line, a pretty-printed one, a line of 1 MB and a torn end are all read as far as they go", () => {
  const big = assistant("big", 3, {}, { content: [{ type: "text", text: "x".repeat(1_000_000) }] });
  const source = [
    JSON.stringify(assistant("a", 1)) + JSON.stringify(assistant("b", 2)),
    JSON.stringify(assistant("c", 3), null, 2),
    JSON.stringify(big),
    JSON.stringify(assistant("d", 4)).slice(0, -20),
  ].join("\n");
  const { items, unreads } = readTranscript(claudeCode, "/p/x.jsonl", source.split("\n"));
  assert.deepEqual(
    ofType(items, "usage").map(({ key }) => key),
    ["a", "b", "c", "big"],
  );
  assert.deepEqual(
    unreads.map(({ reason }) => reason),
    ["torn"],
  );
});

test("rule 8 cache writes of five minutes and of one hour are told apart", () => {
  const written = usage(1, {
    cache_creation_input_tokens: 100,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 },
  });
  const [found] = usageOf([assistant("a", 1, {}, { usage: written })]);
  assert.deepEqual([found?.cacheWrite5m, found?.cacheWrite1h], [30, 70]);
});

test("rule 9 copies of requests are passed over by their head, whatever follows it", () => {
  const source = [
    '{"type":"api-request-blob","sessionId":"other", this is no JSON',
    JSON.stringify(assistant("a", 1)),
  ];
  const { items, unreads } = readTranscript(claudeCode, "/p/x.jsonl", source);
  assert.deepEqual(unreads, []);
  assert.deepEqual([...new Set(items.map((item) => item.sessionId))], [session]);
});

test("a kind of line that is not known is counted, with its version, and nothing is lost", () => {
  const strange = { ...head, type: "brand-new-kind", uuid: "n", timestamp: "2026-04-01T10:00:00.000Z" };
  const items = read([strange, strange, strange, assistant("a", 1)]);
  const mark = ofType(items, "mark").find(({ kind }) => kind === "novelty");
  assert.deepEqual(
    [mark?.count, mark?.novelty?.name, mark?.novelty?.agentVersion],
    [3, "brand-new-kind", "2.1.98"],
  );
  assert.equal(ofType(items, "usage").length, 1);
});

const corpus = join(import.meta.dirname, "..", "..", "..", "..", "..", "..", "shared", "corpus");

test(
  "real transcripts hold the calls, errors, responses, tokens, models, sessions and times that an independent count found",
  { skip: existsSync(corpus) ? false : "needs the corpus of real records beside the repository" },
  () => {
    const truths = object(parseJson(readFileSync(join(corpus, "truth.json"), "utf8"))) ?? {};
    const differences: string[] = [];
    for (const name of readdirSync(join(corpus, "claude-code"))) {
      const truth = object(truths[`claude-code/${name}`]) ?? {};
      const path = join(corpus, "claude-code", name);
      const found = countsOf(settled(readTranscript(claudeCode, path).items));
      const expected = expectedOf(truth);
      for (const [what, value] of Object.entries(expected)) {
        const [a, b] = [JSON.stringify(found[what]), JSON.stringify(value)];
        if (a !== b) differences.push(`${name} ${what}: ${a}, not ${b}`);
      }
    }
    assert.deepEqual(differences, []);
  },
);

const total = (items: readonly UsageItem[], field: (item: UsageItem) => number | undefined): number =>
  items.reduce((sum, item) => sum + (field(item) ?? 0), 0);

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));

const countsOf = (items: readonly TraceItem[]): Record<string, unknown> => {
  const spent = ofType(items, "usage");
  const calls = ofType(items, "tool_call");
  const sessions = ofType(items, "session");
  return {
    tool_use: calls.length,
    tool_result: calls.filter(({ outcome }) => outcome !== "unanswered").length,
    tool_result_is_error: calls.filter(({ outcome }) => outcome === "error" || outcome === "denied").length,
    message_ids: spent.length,
    tokens: {
      cache_create: total(spent, ({ cacheWrite5m = 0, cacheWrite1h = 0 }) => cacheWrite5m + cacheWrite1h),
      cache_read: total(spent, ({ cacheRead }) => cacheRead),
      input: total(spent, ({ input }) => input),
      output: total(spent, ({ output }) => output),
    },
    models: sorted(spent.flatMap(({ model }) => model ?? [])),
    sessions: sorted(sessions.map(({ sessionId }) => sessionId.split("/", 1)[0] ?? "")),
    first: sessions.flatMap(({ startedAt }) => startedAt ?? []).sort()[0],
    last: sessions
      .flatMap(({ endedAt }) => endedAt ?? [])
      .sort()
      .at(-1),
  };
};

const expectedOf = (truth: JsonObject): Record<string, JsonValue | undefined> => ({
  tool_use: truth["tool_use"],
  tool_result: Number(truth["tool_result"]) - Number(truth["tool_result_without_use"]),
  tool_result_is_error: truth["tool_result_is_error"],
  // A failed request is written as a message of its own; it is no response.
  message_ids: Number(truth["message_ids"]) - Number(truth["synthetic_messages"]),
  tokens: truth["tokens"],
  models: sorted(Object.keys(object(truth["models"]) ?? {}).filter((model) => model !== "<synthetic>")),
  sessions: sorted(strings(truth["session_ids"]) ?? []),
  first: truth["first"],
  last: truth["last"],
});
