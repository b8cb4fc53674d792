import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import type { TraceItem } from "../../item.ts";
import { normalizeText, ofType, readTranscript, settled } from "../../testing/collect.ts";
import { matchesGolden } from "../../testing/golden.ts";
import { mutated } from "../../testing/mutations.ts";
import { schemaErrors } from "../../testing/schema.ts";
import { claudeCode } from "./index.ts";

const fixtures = join(import.meta.dirname, "fixtures");
const golden = join(import.meta.dirname, "golden");
const transcripts = globSync("transcripts/**/*.jsonl", { cwd: fixtures })
  .sort()
  .map((file) => ({
    scenario: file.split("/")[1] ?? "",
    path: join(fixtures, file),
    child: file.includes("/subagents/"),
  }));
const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n");
const jsonLines = (items: readonly TraceItem[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join("");

for (const { scenario, path, child } of transcripts) {
  const name = `${scenario}${child ? "-subagent" : ""}`;
  test(`the transcript ${name} gives the items of its golden file, each valid by the schema`, () => {
    const { items, unreads } = readTranscript(claudeCode, path);
    assert.deepEqual(unreads, []);
    for (const item of items) assert.deepEqual(schemaErrors(item), [], JSON.stringify(item));
    matchesGolden(join(golden, `${name}.transcript.jsonl`), jsonLines(items));
  });
}

test("a transcript's reader made from another's state goes on as that one would have", () => {
  for (const { path, scenario } of transcripts) {
    const lines = linesOf(path);
    assert.deepEqual(
      readTranscript(claudeCode, path, lines, true).items,
      readTranscript(claudeCode, path, lines).items,
      scenario,
    );
  }
});

test("no damage to a transcript makes its reader throw, repeat a revision, or give an item the schema refuses", () => {
  for (const { path, scenario } of transcripts) {
    fc.assert(
      fc.property(mutated(linesOf(path)), (lines) => {
        const seen = new Map<string, number>();
        for (const item of readTranscript(claudeCode, path, lines).items) {
          const identity = JSON.stringify([item.sessionId, item.type, item.key]);
          assert.ok((seen.get(identity) ?? -1) < item.rev, `${scenario}: ${identity}`);
          seen.set(identity, item.rev);
          assert.deepEqual(schemaErrors(item), [], JSON.stringify(item));
        }
      }),
      { numRuns: 15 },
    );
  }
});

test("a transcript's state stays small, whatever is written", () => {
  const line = (n: number): string =>
    JSON.stringify({
      type: "assistant",
      sessionId: "s",
      isSidechain: n % 3 === 0,
      uuid: `u${n}`,
      message: {
        id: `m${n}`,
        usage: { output_tokens: n },
        content: [{ type: "tool_use", id: `t${n}`, name: "Bash", input: { command: "x".repeat(5000) } }],
      },
    });
  const sink = { item: () => {} };
  assert.equal(claudeCode.transcript?.kind, "jsonl");
  const reader = claudeCode.transcript.reader({
    path: "/x.jsonl",
    sibling: () => undefined,
    mask: (text) => text,
  });
  for (let n = 0; n < 20_000; n += 1) reader.line(line(n), sink);
  assert.ok(JSON.stringify(reader.state()).length < 4_000_000);
});

/** Scenarios of which both sources were captured in one run, and what only one of them carries. */
test("H-28 stream and transcript of one run agree on every field both carry; the rest is listed", () => {
  const report: Record<string, string[]> = {};
  for (const { scenario, path } of transcripts.filter(({ child }) => !child)) {
    const [file] = globSync(`${scenario}.stream.jsonl`, { cwd: fixtures });
    // A second run went on with the session: its stream is one part of the transcript.
    if (file === undefined || scenario === "resume") continue;
    const stream = settled(normalizeText(readFileSync(join(fixtures, file), "utf8")).items);
    const kept = settled(
      transcripts
        .filter((each) => each.scenario === scenario)
        .flatMap((each) => readTranscript(claudeCode, each.path).items),
    );
    assert.ok(path !== "");
    report[scenario] = differences(stream, kept);
  }
  matchesGolden(join(golden, "stream-and-transcript.json"), `${JSON.stringify(report, null, 2)}\n`);
});

/** Items that have a key in both sources. Marks have ids of their own in each, so they are counted by kind. */
const differences = (stream: readonly TraceItem[], kept: readonly TraceItem[]): string[] => {
  const found = new Set<string>();
  const id = (item: TraceItem): string => `${item.type} ${item.sessionId} ${item.key}`;
  const byId = new Map(kept.map((item) => [id(item), item]));
  const shared = (item: TraceItem): boolean => ["session", "tool_call", "usage"].includes(item.type);
  for (const item of stream.filter(shared)) {
    const other = byId.get(id(item));
    if (other === undefined)
      found.add(`${item.type}: only in the stream${item.key.startsWith("turn:") ? " (turn)" : ""}`);
    else for (const line of fieldDifferences(item, other)) found.add(line);
  }
  const ids = new Set(stream.map(id));
  for (const item of kept.filter(shared))
    if (!ids.has(id(item))) found.add(`${item.type}: only in the transcript`);
  const kinds = new Set([...stream, ...kept].flatMap((item) => (item.type === "mark" ? [item.kind] : [])));
  for (const kind of kinds) {
    const count = (items: readonly TraceItem[]): number =>
      items.filter((item) => item.type === "mark" && item.kind === kind).length;
    if (count(stream) !== count(kept))
      found.add(`mark ${kind}: ${count(stream)} in the stream, ${count(kept)} in the transcript`);
  }
  return [...found].sort();
};

/** Fields that are the source's own and not the agent's. */
const ownFields = new Set(["rev", "seq", "at", "endedAt", "startedAt", "durationMs"]);

const fieldDifferences = (a: TraceItem, b: TraceItem): string[] => {
  const [one, two] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return [...new Set([...one.keys(), ...two.keys()])].flatMap((field) => {
    if (ownFields.has(field) || JSON.stringify(one.get(field)) === JSON.stringify(two.get(field))) return [];
    if (!two.has(field)) return [`${a.type}.${field}: only in the stream`];
    return one.has(field) ? [`${a.type}.${field}: differs`] : [`${a.type}.${field}: only in the transcript`];
  });
};

test("H-188 a transcript yields usage with model and tokens for every response", () => {
  const basic = transcripts.find(({ scenario }) => scenario === "basic");
  assert.ok(basic !== undefined);
  const usage = ofType(readTranscript(claudeCode, basic.path).items, "usage");
  assert.equal(usage.length, 6);
  assert.ok(
    usage.every(({ exact, model, output }) => exact && model === "claude-sonnet-4-5" && output !== undefined),
  );
});
