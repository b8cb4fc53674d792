import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { DatabaseReader } from "../../agent.ts";
import type { TraceItem } from "../../item.ts";
import { object, objects, parseJson, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";
import { compareSources, type SourceDifferences } from "../testing/compare.ts";
import { putRow, putRows, readDatabase, testFolder, writtenDatabase } from "../testing/databases.ts";
import { checkGoldenJson, checkGoldenLines } from "../testing/golden.ts";
import { checkMutations } from "../testing/mutations.ts";
import { collect, plainOptions, readResumed, readText, settled, saved } from "../testing/reading.ts";
import { opencode } from "./index.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const golden = join(import.meta.dirname, "golden");
const schema = readFileSync(join(fixtures, "schema.sql"), "utf8");
const scenarios = readdirSync(fixtures)
  .filter((name) => !name.includes("."))
  .toSorted();

const rowsOf = (scenario: string): JsonObject =>
  object(parseJson(readFileSync(join(fixtures, scenario, "rows.json"), "utf8"))) ?? {};

const streamsOf = (scenario: string): string[] =>
  readdirSync(join(fixtures, scenario))
    .filter((name) => name.startsWith("stdout"))
    .toSorted((a, b) => a.length - b.length)
    .map((name) => readFileSync(join(fixtures, scenario, name), "utf8"));

const stream = (state?: JsonValue) => {
  assert.ok(opencode.stream);
  return opencode.stream.reader({
    home: "/home/dev",
    cwd: "/home/dev/lab/proj",
    ...(state === undefined ? {} : { state }),
  });
};

/** A reader on a database that its writer still holds open, WAL and all. */
const open = (context: TestContext, fill: (put: (table: string, row: JsonObject) => void) => void) => {
  const path = join(testFolder(context), "opencode.db");
  const writer = writtenDatabase(context, path, schema);
  fill((table, row) => {
    putRow(writer, table, row);
  });
  const database = readDatabase(context, path);
  const reader = (state?: JsonValue): DatabaseReader => {
    assert.equal(opencode.transcript?.kind, "sqlite");
    assert.ok(opencode.transcript.detect(database));
    return opencode.transcript.reader(database, plainOptions(path, state));
  };
  return { writer, reader };
};

const readAll = (context: TestContext, scenario: string): TraceItem[] => {
  const { writer, reader } = open(context, () => {});
  const rows = rowsOf(scenario);
  for (const table of ["session", "message", "part"]) putRows(writer, table, rows[table]);
  const { items, sink } = collect();
  const all = reader();
  all.poll(sink);
  all.finish(sink);
  return settled(items);
};

for (const scenario of scenarios) {
  test(`opencode: the capture ${scenario} reads as its golden files say`, (context) => {
    for (const [index, text] of streamsOf(scenario).entries()) {
      const what = index === 0 ? "stream" : `stream-${index + 1}`;
      checkGoldenLines(join(golden, `${scenario}.${what}.jsonl`), settled(readText(stream(), text).items));
    }
    checkGoldenLines(join(golden, `${scenario}.transcript.jsonl`), readAll(context, scenario));
  });

  test(`opencode: a stream reader made from a saved state reads ${scenario} on as the first one would have`, () => {
    for (const text of streamsOf(scenario))
      assert.deepEqual(readResumed(stream, text), readText(stream(), text));
  });
}

test("opencode: stream and database agree on what both carry", (context) => {
  const found: Record<string, SourceDifferences> = {};
  for (const scenario of scenarios) {
    const texts = streamsOf(scenario);
    if (texts.length > 1) continue;
    compareSources(found, readText(stream(), texts[0] ?? "").items, readAll(context, scenario), "key");
  }
  checkGoldenJson(join(golden, "differences.json"), found);
});

/** The row as it was inserted: a call was running, an answer had not ended. */
const begun = (row: JsonObject): JsonObject => {
  const data = object(parseJson(typeof row["data"] === "string" ? row["data"] : ""));
  const inserted = { ...row, time_updated: row["time_created"] ?? 0 };
  if (data === undefined) return inserted;
  const began = Object.entries(data).filter(
    ([name]) => !["finish", "error", "tokens", "cost"].includes(name),
  );
  if (data["type"] !== "tool")
    return { ...inserted, data: data["type"] === undefined ? Object.fromEntries(began) : data };
  const { input, time } = object(data["state"]) ?? {};
  return {
    ...inserted,
    data: { ...data, state: { status: "running", input: input ?? {}, time: time ?? {} } },
  };
};

test("opencode: a database read while it is written, by a new reader at every poll, ends as one read at the end", (context) => {
  for (const scenario of ["basic", "subagent", "resume"]) {
    const { writer, reader } = open(context, () => {});
    const rows = rowsOf(scenario);
    const writes = ["session", "message", "part"]
      .flatMap((table) =>
        objects(rows[table]).flatMap((row) => [
          { table, row: begun(row) },
          { table, row },
        ]),
      )
      .toSorted((a, b) => Number(a.row["time_updated"]) - Number(b.row["time_updated"]));
    const { items, sink } = collect();
    let state: JsonValue | undefined;
    for (const { table, row } of writes) {
      putRow(writer, table, row);
      const now = reader(state);
      now.poll(sink);
      state = saved(now.state());
    }
    reader(state).finish(sink);
    const byIdentity = (read: readonly TraceItem[]) =>
      settled(read)
        .filter((item) => item.type !== "session")
        // Rows are numbered as they are inserted, which here is not as the agent did it.
        .map((item) => ({ ...item, seq: 0 }))
        .toSorted((a, b) => (`${a.type} ${a.key}` < `${b.type} ${b.key}` ? -1 : 1));
    assert.deepEqual(byIdentity(items), byIdentity(readAll(context, scenario)), scenario);
  }
});

test("opencode: no mutation of a stream makes its reader throw or grow", () => {
  checkMutations(() => stream(), scenarios.flatMap(streamsOf), 120);
});

test("opencode: rows with broken or hostile data are reported, and the rest is read", (context) => {
  const { writer, reader } = open(context, () => {});
  const rows = rowsOf("basic");
  for (const table of ["session", "message", "part"]) putRows(writer, table, rows[table]);
  const [first, second, third] = objects(rows["part"]);
  const stamp = { time_updated: 1_796_073_790_000 };
  putRow(writer, "part", { ...first, ...stamp, data: "{not json" });
  putRow(writer, "part", { ...second, ...stamp, data: `${"[".repeat(500)}${"]".repeat(500)}` });
  putRow(writer, "part", { ...third, ...stamp, data: '{"type":{"x":1},"state":[]}' });
  const { items, unread, sink } = collect();
  const all = reader();
  all.poll(sink);
  all.finish(sink);
  assert.equal(unread.length, 2);
  assert.ok(settled(items).filter(({ type }) => type === "tool_call").length >= 4);
});
