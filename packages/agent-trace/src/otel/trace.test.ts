import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { claudeCode } from "../agents/claude-code/index.ts";
import { readTranscript } from "../testing/collect.ts";
import { matchesGolden } from "../testing/golden.ts";
import { RecordFold } from "../totals/fold.ts";
import { buildTrace, toOtlp } from "./index.ts";

const folder = join(import.meta.dirname, "../agents/claude-code/fixtures/transcripts");

const traceOf = (scenario: string, backwards = false) => {
  const fold = new RecordFold();
  const files = globSync(`${scenario}/**/*.jsonl`, { cwd: folder }).sort();
  const items = files.flatMap((file) => readTranscript(claudeCode, join(folder, file)).items);
  for (const item of backwards ? items.toReversed() : items) fold.add(item);
  const root = fold.sessions.find(({ session }) => session?.parentSessionId === undefined);
  const trace = buildTrace(fold.family(root?.sessionId ?? ""));
  assert.ok(trace !== undefined);
  return trace;
};

test("a session with a sub-agent is one tree: every span but the first has its parent in the trace", () => {
  const { spans } = traceOf("subagent");
  const ids = new Set(spans.map(({ spanId }) => spanId));
  assert.equal(ids.size, spans.length);
  assert.deepEqual(
    spans
      .filter(({ parentSpanId }) => parentSpanId === undefined || !ids.has(parentSpanId))
      .map(({ name }) => name),
    ["invoke_agent claude-code"],
  );
  const agents = spans.filter(({ name }) => name === "invoke_agent claude-code");
  const call = spans.find(({ name }) => name === "execute_tool Agent");
  assert.equal(agents[1]?.parentSpanId, call?.spanId, "the sub-agent hangs under the call that started it");
});

test("building twice gives the same trace, in whatever order the record came", () => {
  assert.deepEqual(traceOf("basic"), traceOf("basic"));
  const ids = (backwards: boolean): string[] =>
    traceOf("basic", backwards)
      .spans.map(({ spanId }) => spanId)
      .sort((a, b) => (a < b ? -1 : 1));
  assert.deepEqual(ids(true), ids(false));
});

test("failed calls and failed requests are errors; times do not go back", () => {
  const { spans } = traceOf("basic");
  assert.deepEqual(
    spans.flatMap(({ error }) => error ?? []),
    ["exit_nonzero", "not_found"],
  );
  assert.ok(traceOf("error-429").spans.some(({ name, error }) => name === "turn" && error !== undefined));
  for (const span of spans) assert.ok(span.endAt >= span.startAt, span.name);
});

test("the OTLP form of a captured session is its golden file", () => {
  const text = `${JSON.stringify(toOtlp(traceOf("basic")), null, 1)}\n`;
  matchesGolden(join(import.meta.dirname, "golden", "basic.otlp.json"), text);
});
