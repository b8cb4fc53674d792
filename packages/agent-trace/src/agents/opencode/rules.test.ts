import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { TraceItem } from "../../item.ts";
import type { JsonObject } from "../../jsonline.ts";
import { putRow, readDatabase, testFolder, writtenDatabase } from "../testing/databases.ts";
import { collect, ofType, plainOptions, settled } from "../testing/reading.ts";
import { opencodeDatabaseReader } from "./database.ts";
import { isExport, readExport } from "./export.ts";

const schema = readFileSync(join(import.meta.dirname, "fixtures/schema.sql"), "utf8");
const began = 1_796_073_750_000;

const session = (id: string, fields: JsonObject = {}): JsonObject => ({
  id,
  project_id: "p",
  slug: id,
  directory: "/home/dev/proj",
  title: "T",
  version: "1.18.33",
  time_created: began,
  time_updated: began,
  ...fields,
});
const message = (id: string, ms: number, data: JsonObject, updated = ms): JsonObject => ({
  id,
  session_id: "ses_1",
  time_created: began + ms,
  time_updated: began + updated,
  data:
    data["role"] === "user"
      ? { time: { created: began + ms }, ...data }
      : { modelID: "m", providerID: "p", time: { created: began + ms, completed: began + ms + 5 }, ...data },
});
const part = (id: string, owner: string, ms: number, data: JsonObject, updated = ms): JsonObject => ({
  id,
  message_id: owner,
  session_id: "ses_1",
  time_created: began + ms,
  time_updated: began + updated,
  data,
});
const tool = (state: JsonObject, name = "bash"): JsonObject => ({
  type: "tool",
  tool: name,
  callID: "call_1",
  state: { input: { command: "npm test" }, time: { start: began + 30, end: began + 90 }, ...state },
});
const tokens = (fields: JsonObject): JsonObject => ({
  input: 90,
  output: 28,
  reasoning: 12,
  cache: { read: 1100, write: 0 },
  ...fields,
});
const finish = (fields: JsonObject): JsonObject => ({
  type: "step-finish",
  reason: "stop",
  cost: 0.0012,
  tokens: tokens({}),
  ...fields,
});

/** A writer that stays open, and what a reader gives out between its writes. */
const opened = (context: TestContext) => {
  const path = join(testFolder(context), "opencode.db");
  const writer = writtenDatabase(context, path, schema);
  const put = (table: string, ...rows: JsonObject[]): void => {
    for (const row of rows) putRow(writer, table, row);
  };
  put("session", session("ses_1"));
  const reader = opencodeDatabaseReader(readDatabase(context, path), plainOptions(path));
  const all = collect();
  const poll = (): TraceItem[] => {
    const from = all.items.length;
    reader.poll(all.sink);
    return all.items.slice(from);
  };
  const finished = (): TraceItem[] => {
    reader.finish(all.sink);
    return settled(all.items);
  };
  return { put, poll, finished };
};

test("rule 15 a shell call that failed is `completed`: its exit code makes it an error", (context) => {
  const { put, finished } = opened(context);
  put("message", message("msg_1", 10, { role: "assistant" }));
  put(
    "part",
    part("prt_1", "msg_1", 20, tool({ status: "completed", output: "boom\n", metadata: { exit: 1 } })),
  );
  const [call] = ofType(finished(), "tool_call");
  assert.deepEqual(
    [call?.outcome, call?.exitCode, call?.durationMs, call?.messageId],
    ["error", 1, 60, "msg_1"],
  );
});

test("rule 15 an exit code that is no number is no failure", (context) => {
  for (const exit of [null, "1", 0]) {
    const { put, finished } = opened(context);
    put("message", message("msg_1", 10, { role: "assistant" }));
    put("part", part("prt_1", "msg_1", 20, tool({ status: "completed", output: "", metadata: { exit } })));
    assert.equal(ofType(finished(), "tool_call")[0]?.outcome, "ok");
  }
});

test("rule 15 rows are updated in place: a call comes once it has ended, and a later state is a higher revision", (context) => {
  const { put, poll, finished } = opened(context);
  put("message", message("msg_1", 10, { role: "assistant" }));
  put("part", part("prt_1", "msg_1", 20, tool({ status: "running" })));
  assert.equal(ofType(poll(), "tool_call").length, 0);
  put(
    "part",
    part("prt_1", "msg_1", 20, tool({ status: "completed", output: "one", metadata: { exit: 0 } }), 90),
  );
  const [first] = ofType(poll(), "tool_call");
  assert.deepEqual(poll(), []);
  put(
    "part",
    part("prt_1", "msg_1", 20, tool({ status: "completed", output: "longer", metadata: { exit: 0 } }), 95),
  );
  const [second] = ofType(poll(), "tool_call");
  assert.deepEqual([first?.resultBytes, second?.resultBytes], [3, 6]);
  assert.ok((second?.rev ?? 0) > (first?.rev ?? 0));
  assert.equal(ofType(finished(), "tool_call").length, 1);
});

test("rule 15 a call that was running when the agent went is unanswered, and an answer that comes all the same counts", (context) => {
  const { put, finished } = opened(context);
  put("message", message("msg_1", 10, { role: "assistant" }));
  put("part", part("prt_1", "msg_1", 20, tool({ status: "running" })));
  assert.deepEqual(
    ofType(finished(), "tool_call").map(({ outcome }) => outcome),
    ["unanswered"],
  );
  put(
    "part",
    part("prt_1", "msg_1", 20, tool({ status: "completed", output: "", metadata: { exit: 0 } }), 90),
  );
  assert.deepEqual(
    ofType(finished(), "tool_call").map(({ outcome }) => outcome),
    ["ok"],
  );
});

test("rule 15 output excludes the reasoning, unless the provider's total says that it is in it", (context) => {
  const { put, finished } = opened(context);
  put("message", message("msg_1", 10, { role: "assistant" }), message("msg_2", 20, { role: "assistant" }));
  put("part", part("prt_1", "msg_1", 12, finish({ tokens: tokens({ total: 1230 }) })));
  put("part", part("prt_2", "msg_2", 22, finish({ tokens: tokens({ total: 1218 }) })));
  assert.deepEqual(
    ofType(finished(), "usage").map(({ output, reasoning }) => [output, reasoning]),
    [
      [40, 12],
      [28, 12],
    ],
  );
});

test("rule 15 a child session's numbers are on its own row and nowhere else", (context) => {
  const { put, finished } = opened(context);
  put(
    "session",
    session("ses_2", { parent_id: "ses_1", time_created: began + 50, time_updated: began + 60 }),
  );
  put("message", message("msg_1", 10, { role: "assistant" }));
  put(
    "part",
    part(
      "prt_1",
      "msg_1",
      12,
      tool({ status: "completed", output: "", metadata: { sessionId: "ses_2" } }, "task"),
    ),
  );
  put("part", part("prt_2", "msg_1", 14, finish({})));
  put("message", { ...message("msg_2", 55, { role: "assistant" }), session_id: "ses_2" });
  put("part", { ...part("prt_3", "msg_2", 56, finish({})), session_id: "ses_2" });
  const items = finished();
  assert.deepEqual(
    ofType(items, "usage").map(({ sessionId, key }) => [sessionId, key]),
    [
      ["ses_1", "msg_1"],
      ["ses_2", "msg_2"],
    ],
  );
  assert.equal(ofType(items, "tool_call")[0]?.childSessionId, "ses_2");
  assert.equal(
    ofType(items, "session").find(({ sessionId }) => sessionId === "ses_2")?.parentSessionId,
    "ses_1",
  );
});

test("rule 15 retries never reach the stream; the database tells of them", (context) => {
  const { put, finished } = opened(context);
  put("message", message("msg_1", 10, { role: "assistant" }));
  const error = { name: "APIError", data: { message: "Overloaded", statusCode: 529 } };
  put(
    "part",
    part("prt_1", "msg_1", 12, { type: "retry", attempt: 1, error, time: { created: began + 12 } }),
  );
  const [retry] = ofType(finished(), "mark");
  assert.deepEqual([retry?.kind, retry?.note, retry?.status], ["api_retry", "Overloaded", 529]);
});

test("a message with several steps has a usage for each; one without steps is read from its own row", (context) => {
  const { put, finished } = opened(context);
  put("message", message("msg_1", 10, { role: "assistant", tokens: tokens({}), cost: 9 }));
  put("part", part("prt_1", "msg_1", 12, finish({})), part("prt_2", "msg_1", 14, finish({ cost: 0.0024 })));
  put(
    "message",
    message("msg_2", 20, { role: "assistant", tokens: tokens({ output: 7, reasoning: 0 }), cost: 0.5 }),
  );
  assert.deepEqual(
    ofType(finished(), "usage").map(({ key, costNanoUsd }) => [key, costNanoUsd]),
    [
      ["msg_1", 1_200_000],
      ["msg_1/2", 2_400_000],
      ["msg_2", 500_000_000],
    ],
  );
});

test("turns are counted by what the user said, not by what opencode put in for them", (context) => {
  const { put, finished } = opened(context);
  put(
    "message",
    message("msg_1", 10, { role: "user" }),
    message("msg_2", 20, { role: "user" }),
    message("msg_3", 30, { role: "user" }),
  );
  put("part", part("prt_1", "msg_1", 11, { type: "text", text: "one" }));
  put("part", part("prt_2", "msg_2", 21, { type: "compaction", auto: true }));
  put("part", part("prt_3", "msg_3", 31, { type: "text", text: "two" }));
  put(
    "message",
    message("msg_4", 40, {
      role: "assistant",
      error: { name: "MessageAbortedError", data: { message: "Aborted" } },
    }),
  );
  const marks = ofType(finished(), "mark").map(({ kind, turn }) => [kind, turn]);
  assert.deepEqual(marks, [
    ["user_message", 1],
    ["compaction", 1],
    ["user_message", 2],
    ["interrupted", 2],
  ]);
});

test("an export's messages are read like rows, blanked ids told apart", () => {
  const info = {
    id: "ses_1",
    directory: "/home/dev/proj",
    title: "T",
    version: "1.2.20",
    parentID: "ses_0",
    time: { created: began },
  };
  const answered = (cost: number) => ({
    info: { id: "REDACTED", role: "assistant", modelID: "m" },
    parts: [finish({ cost })],
  });
  const { items, sink } = collect();
  const document = { info, messages: [answered(0.001), answered(0.002)] };
  assert.ok(isExport(document));
  readExport(document, sink, plainOptions("/x.json"));
  assert.deepEqual(
    ofType(items, "usage").map(({ costNanoUsd }) => costNanoUsd),
    [1_000_000, 2_000_000],
  );
  assert.equal(ofType(items, "session")[0]?.parentSessionId, "ses_0");
});

test("what comes out of rows and exports is masked, ids excepted", (context) => {
  const path = join(testFolder(context), "opencode.db");
  const writer = writtenDatabase(context, path, schema);
  putRow(writer, "session", session("ses_1", { title: "has hunter2" }));
  putRow(writer, "message", message("msg_1", 10, { role: "user" }));
  putRow(writer, "part", part("prt_1", "msg_1", 11, { type: "text", text: "say hunter2" }));
  putRow(writer, "message", message("msg_2", 20, { role: "assistant" }));
  putRow(
    writer,
    "part",
    part("prt_2", "msg_2", 21, { ...tool({ status: "error", error: "hunter2" }), callID: "hunter2" }),
  );
  const mask = (text: string): string => text.replaceAll("hunter2", "[masked]");
  const { items, sink } = collect();
  const reader = opencodeDatabaseReader(readDatabase(context, path), { ...plainOptions(path), mask });
  reader.poll(sink);
  assert.equal(ofType(items, "session")[0]?.title, "has [masked]");
  assert.equal(ofType(items, "mark")[0]?.note, "say [masked]");
  assert.equal(ofType(items, "tool_call")[0]?.key, "hunter2");
});
