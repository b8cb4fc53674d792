import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import type { TraceItem } from "../../item.ts";
import { parseJson, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";
import { putRow, readDatabase, testFolder, writtenDatabase } from "../testing/databases.ts";
import { collect, ofType, plainOptions, settled, saved } from "../testing/reading.ts";
import { opencode } from "../opencode/index.ts";
import { crushDatabaseReader } from "./database.ts";
import { crush } from "./index.ts";

const schema = readFileSync(join(import.meta.dirname, "fixtures/schema.sql"), "utf8");
const began = 1_754_104_814;

const session = (id: string, fields: JsonObject = {}): JsonObject => ({
  id,
  title: "T",
  created_at: began,
  updated_at: began,
  ...fields,
});
const row = (id: string, role: string, parts: JsonObject[], fields: JsonObject = {}): JsonObject => ({
  id,
  session_id: "s1",
  role,
  parts,
  created_at: began,
  updated_at: began,
  ...(role === "assistant" ? { model: "m", provider: "p" } : {}),
  ...fields,
});
const said = (text: string): JsonObject => ({ type: "text", data: { text } });
const call = (id: string, name: string, input: JsonObject): JsonObject => ({
  type: "tool_call",
  data: { id, name, input: JSON.stringify(input), finished: true },
});
const result = (id: string, content: string, isError = false): JsonObject => ({
  type: "tool_result",
  data: { tool_call_id: id, name: "bash", content, is_error: isError },
});
const finish = (reason: string, fields: JsonObject = {}): JsonObject => ({
  type: "finish",
  data: { reason, time: began + 5, ...fields },
});

const opened = (context: TestContext) => {
  const path = join(testFolder(context), "crush.db");
  const writer = writtenDatabase(context, path, schema);
  const put = (table: string, ...rows: JsonObject[]): void => {
    for (const each of rows) putRow(writer, table, each);
  };
  const database = readDatabase(context, path);
  const reader = (state?: JsonValue) => crushDatabaseReader("crush", database, plainOptions(path, state));
  const first = reader();
  const all = collect();
  const poll = (): TraceItem[] => {
    const from = all.items.length;
    first.poll(all.sink);
    return all.items.slice(from);
  };
  const finished = (): TraceItem[] => {
    first.finish(all.sink);
    return settled(all.items);
  };
  return { path, put, poll, finished, reader };
};

test("rule 18 token columns fall from turn to turn and are not counted; the cost is the amount it has added up to", (context) => {
  const { put, poll, finished } = opened(context);
  put("sessions", session("s1", { prompt_tokens: 50_000, completion_tokens: 900, cost: 0.25 }));
  poll();
  put(
    "sessions",
    session("s1", { prompt_tokens: 1200, completion_tokens: 12, cost: 0.75, updated_at: began + 9 }),
  );
  const usage = ofType(poll(), "usage");
  assert.deepEqual(
    usage.map(({ costNanoUsd, rev }) => [costNanoUsd, rev > 0]),
    [[750_000_000, true]],
  );
  const [only] = ofType(finished(), "usage");
  assert.deepEqual(
    [only?.input, only?.output, only?.costSource, only?.covers],
    [undefined, undefined, "recorded", "turn"],
  );
});

test("rule 18 a parent's cost has its children's in it: each is counted once", (context) => {
  const { put, finished } = opened(context);
  put("sessions", session("s1", { cost: 1 }), session("s2", { parent_session_id: "s1", cost: 0.4 }));
  const items = finished();
  assert.deepEqual(
    ofType(items, "usage").map(({ sessionId, costNanoUsd }) => [sessionId, costNanoUsd]),
    [
      ["s1", 600_000_000],
      ["s2", 400_000_000],
    ],
  );
  assert.equal(ofType(items, "session").find(({ sessionId }) => sessionId === "s2")?.parentSessionId, "s1");
});

test("rule 18 times are seconds, although the schema says milliseconds", (context) => {
  const { put, finished } = opened(context);
  put("sessions", session("s1", { updated_at: began + 60 }));
  const [only] = ofType(finished(), "session");
  assert.deepEqual(
    [only?.startedAt, only?.endedAt],
    ["2025-08-02T03:20:14.000Z", "2025-08-02T03:21:14.000Z"],
  );
});

test("rule 18 rows of one second keep the order of their insertion", (context) => {
  const { put, finished } = opened(context);
  put("sessions", session("s1"));
  put(
    "messages",
    row("z", "user", [said("one")]),
    row("y", "assistant", [call("c1", "bash", { command: "ls" })]),
  );
  put(
    "messages",
    row("x", "tool", [result("c1", "a.txt")]),
    row("w", "user", [said("two")]),
    row("v", "assistant", [said("ok"), finish("end_turn")]),
  );
  const items = finished();
  assert.deepEqual(
    ofType(items, "mark").map(({ note, turn }) => [note, turn]),
    [
      ["one", 1],
      ["two", 2],
    ],
  );
  assert.deepEqual(
    ofType(items, "tool_call").map(({ turn, outcome, model }) => [turn, outcome, model]),
    [[1, "ok", "m"]],
  );
  assert.deepEqual(
    ofType(items, "result").map(({ turn, text, at }) => [turn, text, at]),
    [[2, "ok", "2025-08-02T03:20:19.000Z"]],
  );
});

test("rule 18 a row is rewritten in place within its second, and nothing is lost or counted twice", (context) => {
  const { put, poll, finished } = opened(context);
  put("sessions", session("s1"));
  put("messages", row("a", "assistant", []));
  assert.equal(ofType(poll(), "tool_call").length, 0);
  put("messages", row("a", "assistant", [said("Let me")]));
  poll();
  put(
    "messages",
    row("a", "assistant", [
      said("Let me look"),
      call("c1", "view", { file_path: "a.txt" }),
      finish("tool_use"),
    ]),
  );
  put("messages", row("b", "tool", [result("c1", "text")]));
  assert.deepEqual(
    ofType(poll(), "tool_call").map(({ key, outcome, rev }) => [key, outcome, rev]),
    [["c1", "ok", 1]],
  );
  assert.deepEqual(poll(), []);
  put("messages", row("e", "assistant", [said("Almost")]));
  assert.equal(ofType(poll(), "result").length, 0);
  put("messages", row("e", "assistant", [said("Almost done"), finish("end_turn")]));
  assert.deepEqual(
    ofType(poll(), "result").map(({ text }) => text),
    ["Almost done"],
  );
  put("messages", row("c", "assistant", [call("c2", "bash", { command: "sleep 9" })]));
  assert.deepEqual(
    ofType(finished(), "tool_call").map(({ key, outcome }) => [key, outcome]),
    [
      ["c1", "ok"],
      ["c2", "unanswered"],
    ],
  );
  put("messages", row("d", "tool", [result("c2", "")]));
  assert.deepEqual(
    ofType(finished(), "tool_call").map(({ outcome }) => outcome),
    ["ok", "ok"],
  );
});

test("rule 18 without its WAL a database can lack a whole session; in place it is read with it", (context) => {
  const { path, put, finished } = opened(context);
  put("sessions", session("s1"), session("s2"));
  assert.equal(ofType(finished(), "session").length, 2);
  const copy = join(testFolder(context), "crush.db");
  copyFileSync(path, copy);
  const alone = new DatabaseSync(copy, { readOnly: true });
  context.after(() => {
    alone.close();
  });
  assert.equal(crush.transcript?.kind === "sqlite" && crush.transcript.detect(alone), false);
});

test("rule 18 a reader made from a saved state goes on at any poll", (context) => {
  const { put, finished, reader } = opened(context);
  const steps: (() => void)[] = [
    () => put("sessions", session("s1", { cost: 0.1 })),
    () => put("messages", row("a", "user", [said("go")])),
    () => put("messages", row("b", "assistant", [call("c1", "bash", { command: "ls" })])),
    () => put("messages", row("c", "tool", [result("c1", "Exit code 2", false)])),
    () => put("sessions", session("s1", { cost: 0.2, updated_at: began + 1 })),
    () =>
      put("messages", row("d", "assistant", [said("done"), finish("end_turn")], { updated_at: began + 1 })),
  ];
  const { items, sink } = collect();
  let state: JsonValue | undefined;
  for (const step of steps) {
    step();
    const now = reader(state);
    now.poll(sink);
    state = saved(now.state());
  }
  reader(state).finish(sink);
  const plain = (read: readonly TraceItem[]) =>
    settled(read)
      .filter(({ type }) => type !== "session" && type !== "usage")
      .map((item) => ({ ...item, claims: [] }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  assert.deepEqual(plain(items), plain(finished()));
  assert.deepEqual(
    ofType(items, "usage").map(({ costNanoUsd }) => costNanoUsd),
    [200_000_000],
  );
});

test("outcomes: the flag, a shell's last line, and how the model's answer ended", (context) => {
  const { put, finished } = opened(context);
  put("sessions", session("s1", { cost: 0.5 }));
  const ids = ["c1", "c2", "c3", "c4"];
  put(
    "messages",
    row(
      "a",
      "assistant",
      ids.map((id) => call(id, "bash", { command: id })),
    ),
  );
  put(
    "messages",
    row("b", "tool", [
      result("c1", "out\nExit code 3\n\n<cwd>/home/dev</cwd>"),
      result("c2", "Exit code 3\nbut then more"),
      result("c3", "no such thing", true),
      result("c4", "half\nCommand was aborted before completion"),
    ]),
  );
  put(
    "messages",
    row("d", "assistant", [finish("error", { message: "Forbidden", details: "no such model" })]),
  );
  put("messages", row("e", "assistant", [finish("canceled")]), row("f", "assistant", [finish("brand_new")]));
  const items = finished();
  assert.deepEqual(
    ofType(items, "tool_call").map(({ outcome, exitCode }) => [outcome, exitCode]),
    [
      ["error", 3],
      ["ok", undefined],
      ["error", undefined],
      ["error", undefined],
    ],
  );
  assert.deepEqual(
    ofType(items, "mark").map(({ kind }) => kind),
    ["api_error", "interrupted", "novelty"],
  );
  assert.deepEqual(
    ofType(items, "result").map(({ isError, claims }) => [isError, claims[0]?.costNanoUsd]),
    [
      [true, 500_000_000],
      [true, 500_000_000],
    ],
  );
});

test("the first opencode kept Crush's tables with milliseconds: its database reads as opencode's", (context) => {
  const path = join(testFolder(context), "opencode.db");
  const writer = writtenDatabase(context, path, schema);
  putRow(writer, "sessions", {
    id: "s1",
    title: "T",
    created_at: began * 1000,
    updated_at: began * 1000 + 500,
  });
  const database = readDatabase(context, path);
  assert.equal(opencode.transcript?.kind, "sqlite");
  assert.ok(opencode.transcript.detect(database));
  const { items, sink } = collect();
  opencode.transcript.reader(database, plainOptions(path)).poll(sink);
  const [only] = ofType(items, "session");
  assert.deepEqual([only?.agent, only?.endedAt], ["opencode", "2025-08-02T03:20:14.500Z"]);
});

test("no content of a row makes the reader throw, and broken rows are reported", (context) => {
  const { put, reader } = opened(context);
  put("sessions", session("s1"));
  let id = 0;
  const hostile = fc.oneof(
    fc.json({ maxDepth: 6 }),
    fc.string(),
    fc.constant(`${"[".repeat(500)}${"]".repeat(500)}`),
  );
  fc.assert(
    fc.property(
      fc.constantFrom("user", "assistant", "tool", "?"),
      hostile,
      fc.jsonValue(),
      (role, parts, data) => {
        id += 1;
        put("messages", { ...row(`r${id}`, role, []), parts });
        const types = ["text", "tool_call", "tool_result", "finish", "x"];
        put(
          "messages",
          row(
            `q${id}`,
            role,
            types.map((type) => ({ type, data: parseJson(JSON.stringify(data)) ?? null })),
          ),
        );
      },
    ),
    { numRuns: 80 },
  );
  const { unread, sink } = collect();
  const all = reader();
  all.poll(sink);
  all.finish(sink);
  assert.ok(unread.length > 0);
  assert.ok(JSON.stringify(all.state()).length < 200_000);
});
