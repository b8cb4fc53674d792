import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { corpusFiles, corpusSkip } from "./testing/corpus.ts";
import { parseJson, object, type JsonObject } from "../jsonline.ts";
import type { MarkItem, TraceItem } from "../item.ts";
import { readPath } from "../read/read-path.ts";
import { agents } from "./registry.ts";
import { plainOptions, readText } from "./testing/reading.ts";

/** What was not known: the last count of each. */
const novelties = (items: readonly TraceItem[]): Map<string, MarkItem> =>
  new Map(
    items.flatMap((item): [string, MarkItem][] =>
      item.type === "mark" && item.novelty !== undefined
        ? [[`${item.novelty.what} ${item.novelty.name}`, item]]
        : [],
    ),
  );

interface Capture {
  name: string;
  text: string;
  read(text: string): TraceItem[];
}

/** Every capture of lines: what an agent printed, and its session files. */
const captures: Capture[] = agents.flatMap((agent) =>
  globSync(`${agent.name}/fixtures/**/*.jsonl`, { cwd: import.meta.dirname })
    .filter((file) => !file.endsWith("session_index.jsonl"))
    .map((file) => {
      const path = join(import.meta.dirname, file);
      const isStream = /(?:stdout[\d-]*|\.stream)\.jsonl$/.test(file);
      const read = (text: string): TraceItem[] => {
        if (isStream && agent.stream !== undefined) return readText(agent.stream.reader({}), text).items;
        assert.equal(agent.transcript?.kind, "jsonl", file);
        return readText(agent.transcript.reader(plainOptions(path)), text).items;
      };
      return { name: file, text: readFileSync(path, "utf8"), read };
    }),
);

test("rule 20 nothing in today's captures is unknown, neither a kind nor a field", () => {
  assert.ok(captures.length > 60, `${captures.length} captures`);
  for (const { name, text, read } of captures) assert.deepEqual([...novelties(read(text)).keys()], [], name);
});

test("rule 20 a field that was added to a capture is found, named and counted with the agent's version", () => {
  for (const { name, text, read } of captures) {
    const lines = text.split("\n").filter((line) => line !== "");
    const added = lines.map((line) => JSON.stringify({ ...parsed(line), freshField: { of: "tomorrow" } }));
    const found = [...novelties(read(added.join("\n"))).values()];
    assert.ok(found.length > 0, name);
    for (const { novelty, count = 0 } of found) {
      assert.match(novelty?.name ?? "", /\.freshField$/, name);
      assert.equal(novelty?.sample, '{"of":"tomorrow"}', name);
      assert.ok(count > 0 && count <= lines.length, name);
    }
  }
  const claude = captures.find(({ name }) => name === join("claude-code", "fixtures", "basic.stream.jsonl"));
  assert.ok(claude);
  const changed = claude.text.replaceAll('"stop_sequence":', '"stop_marker":');
  const found = novelties(claude.read(changed)).get("field assistant.message.stop_marker");
  assert.equal(found?.novelty?.agentVersion, "2.1.332");
});

const parsed = (line: string): JsonObject => object(parseJson(line)) ?? {};

test("rule 20 a flood of new fields stays bounded: sixty-four are named, the rest is one count", () => {
  const [capture] = captures;
  assert.ok(capture);
  const first = parsed(capture.text.split("\n")[0] ?? "");
  const flood = Array.from({ length: 100 }, (_, line) =>
    JSON.stringify({
      ...first,
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_each, index) => [`f${line}_${index}`, "x".repeat(5000)]),
      ),
    }),
  );
  const found = novelties(capture.read(flood.join("\n")));
  assert.equal(found.size, 65);
  assert.equal(found.get("field more")?.count, 100 * 40 - 64);
  for (const mark of found.values()) assert.ok(JSON.stringify(mark).length < 2000);
});

test("real records hold no field that is not known", { skip: corpusSkip }, () => {
  const table: string[] = [];
  for (const { name, path } of corpusFiles("")) {
    if (name.startsWith("other/")) continue;
    const items: TraceItem[] = [];
    readPath(path, { item: (item) => items.push(item) });
    for (const [what, { novelty }] of novelties(items))
      if (novelty?.what === "field") table.push(`${name}: ${what}`);
  }
  assert.deepEqual(table, []);
});
