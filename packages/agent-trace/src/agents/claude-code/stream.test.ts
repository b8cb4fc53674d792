import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readPath } from "../../read/read-path.ts";
import { collector, normalizeText, ofType } from "../../testing/collect.ts";

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, "fixtures", `${name}.stream.jsonl`), "utf8");
const itemsOf = (text: string) => normalizeText(text, { agent: "claude-code" }).items;

test("H-30 the session comes from the init line: id, tools, servers, version; models from what answered", () => {
  const [first] = ofType(itemsOf(fixture("basic")), "session");
  assert.equal(first?.sessionId, "3f6700f9-b812-40d3-8369-eaea590497fe");
  assert.equal(first.agentVersion, "2.1.332");
  assert.equal(first.cwd, "/home/dev/lab/proj");
  assert.ok(first.tools?.includes("Bash"));
  assert.deepEqual(first.mcpServers, []);
  assert.equal(first.models, undefined, "the model asked for is not yet one that served");
  assert.deepEqual(ofType(itemsOf(fixture("basic")), "session").at(-1)?.models, [
    { model: "claude-sonnet-4-5" },
  ]);
});

test("H-31 tool_use and tool_result blocks become calls, in order of starts, with outcome and error", () => {
  const calls = ofType(itemsOf(fixture("basic")), "tool_call");
  assert.deepEqual(
    calls.map(({ tool, outcome, errorKind, exitCode, resultBytes }) => ({
      tool,
      outcome,
      errorKind,
      exitCode,
      resultBytes,
    })),
    [
      { tool: "Bash", outcome: "ok", errorKind: undefined, exitCode: undefined, resultBytes: 35 },
      { tool: "Write", outcome: "ok", errorKind: undefined, exitCode: undefined, resultBytes: 126 },
      { tool: "Read", outcome: "ok", errorKind: undefined, exitCode: undefined, resultBytes: 28 },
      { tool: "Bash", outcome: "error", errorKind: "exit_nonzero", exitCode: 1, resultBytes: 21 },
      { tool: "Read", outcome: "error", errorKind: "not_found", exitCode: undefined, resultBytes: 80 },
    ],
  );
  const sorted = calls.map((call) => call.seq);
  assert.deepEqual(
    sorted,
    [...sorted].sort((a, b) => a - b),
  );
});

test("H-33 the result carries subtype, error flag, turns, duration, cost, usage and text", () => {
  const [result] = ofType(itemsOf(fixture("basic")), "result");
  assert.ok(result !== undefined);
  assert.equal(result.subtype, "success");
  assert.equal(result.isError, false);
  assert.equal(result.turns, 6);
  assert.ok((result.durationMs ?? 0) > 0);
  assert.match(result.text ?? "", /^Done: hello\.txt has 2 lines/);
  assert.deepEqual(result.claims[0]?.costNanoUsd, 13_317_000);
  assert.deepEqual(result.claims[1]?.usage?.input, 1575);
});

test("rule 1 a response written as several lines counts once, under its message id", () => {
  const usage = ofType(itemsOf(fixture("basic")), "usage").filter(({ covers }) => covers === "response");
  assert.equal(new Set(usage.map(({ key }) => key)).size, usage.length);
  assert.equal(usage.length, 6);
});

test("rule 2 H-32 the placeholder of a response's start is not exact; the turn's figure from the result is", () => {
  const usage = ofType(itemsOf(fixture("basic")), "usage");
  assert.ok(usage.every(({ covers, exact }) => exact === (covers === "turn")));
  assert.equal(usage.find(({ covers }) => covers === "turn")?.output, 215);
});

test("rule 4 a sub-agent is a session of its own, linked to the call that started it", () => {
  const items = itemsOf(fixture("subagent"));
  const main = "e9e93d6e-f8db-4f9f-890b-4d4b5d72f8c1";
  const child = `${main}/a1817fad7a32583a4`;
  const session = ofType(items, "session").find(({ sessionId }) => sessionId === child);
  assert.equal(session?.parentSessionId, main);
  assert.equal(session.parentCallId, "toolu_01fake0002");
  const calls = ofType(items, "tool_call");
  assert.equal(calls.find(({ key }) => key === "toolu_01fake0002")?.childSessionId, child);
  assert.deepEqual(
    calls.filter(({ sessionId }) => sessionId === child).map(({ tool, outcome }) => [tool, outcome]),
    [
      ["Bash", "ok"],
      ["Read", "error"],
    ],
  );
});

test("rule 5 several init and result lines are several turns; the session's claim goes on, the turn's starts anew", () => {
  const items = itemsOf(fixture("subagent"));
  const results = ofType(items, "result");
  assert.deepEqual(
    results.map(({ turn }) => turn),
    [1, 2],
  );
  assert.deepEqual(
    results.map(({ claims }) => [claims[0]?.costNanoUsd, claims[1]?.usage?.output]),
    [
      [8_220_000, 72],
      [8_220_000, 20],
    ],
  );
  const [resumed] = ofType(itemsOf(fixture("resume-continued")), "result");
  assert.equal(resumed?.claims[0]?.costNanoUsd, 2_400_000, "both runs of the session");
  assert.equal(resumed.claims[1]?.usage?.output, 40, "this run alone");
});

test("rule 6 success may be an error, and an interrupted run has no result", () => {
  const [failed] = ofType(itemsOf(fixture("error-429")), "result");
  assert.equal(failed?.subtype, "success");
  assert.equal(failed.isError, true);
  assert.equal(failed.errorClass, "quota");
  assert.equal(failed.errorKind, "usage_limit");
  assert.deepEqual(ofType(itemsOf(fixture("killed-sigint")), "result"), []);
});

test("rule 6 an interrupt ends the command that was running, which nobody refused, and may end in a result", () => {
  const items = itemsOf(fixture("interrupted-group"));
  const running = ofType(items, "tool_call").at(-1);
  assert.equal(running?.outcome, "error");
  assert.equal(running.errorKind, "interrupted");
  const [result] = ofType(items, "result");
  assert.equal(result?.isError, true);
  assert.equal(result.errorKind, "interrupted");
  assert.deepEqual(
    ofType(items, "mark").map(({ kind }) => kind),
    ["interrupted"],
  );
  const refused = ofType(itemsOf(fixture("default-permissions")), "tool_call").filter(
    ({ outcome }) => outcome === "denied",
  );
  assert.ok(refused.length > 0, "what the permission settings refuse stays refused");
});

test("rule 7 hook lines may come before init, and is_error may be absent", () => {
  const hook =
    '{"type":"system","subtype":"hook_started","hook_id":"h","session_id":"3f6700f9-b812-40d3-8369-eaea590497fe"}\n';
  const items = itemsOf(hook + fixture("basic"));
  assert.deepEqual(items, itemsOf(fixture("basic")));
});

test("rule 8 two objects on one line are both read, and a torn last line is told", () => {
  const lines = fixture("basic").trimEnd().split("\n");
  const glued = [lines.slice(0, 2).join(""), ...lines.slice(2)].join("\n");
  assert.deepEqual(itemsOf(glued), itemsOf(fixture("basic")));
  const torn = normalizeText(`${lines.slice(0, 3).join("\n")}\n${lines[3]?.slice(0, 40)}`, {
    agent: "claude-code",
  });
  assert.deepEqual(
    torn.unreads.map(({ reason }) => reason),
    ["torn"],
  );
  assert.equal(ofType(torn.items, "tool_call").at(-1)?.outcome, "unanswered");
});

test("rule 20 an unknown kind is counted and kept, and loses nothing else", () => {
  const strange = '{"type":"hologram","session_id":"3f6700f9-b812-40d3-8369-eaea590497fe","size":3}';
  const [first = "", ...rest] = fixture("basic").split("\n");
  const items = itemsOf([first, strange, strange, ...rest].join("\n"));
  const novelty = ofType(items, "mark").findLast(({ kind }) => kind === "novelty");
  assert.equal(novelty?.count, 2);
  assert.deepEqual(novelty.novelty, {
    what: "kind",
    name: "hologram",
    agentVersion: "2.1.332",
    sample: strange,
  });
  assert.equal(ofType(items, "tool_call").length, 5);
});

test("H-43 a line that is no record is reported, and the run's record goes on", () => {
  const { items, unreads } = normalizeText(fixture("basic").replaceAll("\n", "\nWarning: words\n"), {
    agent: "claude-code",
  });
  assert.equal(ofType(items, "tool_call").length, 5);
  assert.ok(unreads.length > 10 && unreads.every(({ text }) => text === "Warning: words"));
});

test("a marker of the supervisor is told as a fault of the source", () => {
  const marker = '{"harness":"line_dropped","stream":"stdout","bytes":20971520,"limit":16777216}';
  const [first = "", ...rest] = fixture("basic").split("\n");
  const mark = ofType(itemsOf([first, marker, ...rest].join("\n")), "mark").find(
    ({ kind }) => kind === "source_fault",
  );
  assert.equal(mark?.fault, "oversize");
  assert.equal(mark.bytes, 20_971_520);
});

test("a line that stands wrapped in a stream file, because it was no JSON, reads as the line it was", () => {
  const wrapped = (text: string): string => JSON.stringify({ harness: "not_json", stream: "stdout", text });
  const lines = fixture("basic").trimEnd().split("\n");
  const spread = ["{", '  "type": "hologram",', '  "session_id": "s"', "}"];
  const raw = normalizeText([...lines, "Warning: words", ...spread].join("\n"), { agent: "claude-code" });
  const kept = normalizeText([...lines, ...["Warning: words", ...spread].map(wrapped)].join("\n"), {
    agent: "claude-code",
  });
  assert.deepEqual(kept.items, raw.items);
  assert.deepEqual(
    kept.unreads.map(({ text }) => text),
    ["Warning: words"],
  );
});

test("a credential in a command is masked in the record", () => {
  const secret = ["abc", "123"].join("");
  const planted = fixture("basic").replace(
    "echo hello-from-shell",
    `curl -H 'Authorization: token ${secret}' x; echo hello`,
  );
  const { items } = normalizeText(planted, { agent: "claude-code" });
  assert.equal(JSON.stringify(items).includes(secret), false);
  assert.match(ofType(items, "tool_call")[0]?.summary ?? "", /Authorization: token \[REDACTED\]/);
});

const corpus = join(import.meta.dirname, "..", "..", "..", "..", "..", "..", "shared", "corpus");

test(
  "real streams hold the calls, errors, sessions and costs that an independent count found",
  {
    skip: existsSync(corpus) ? false : "needs the corpus of real records beside the repository",
  },
  () => {
    const truth: unknown = JSON.parse(readFileSync(join(corpus, "truth.json"), "utf8"));
    const differences: string[] = [];
    for (const name of readdirSync(join(corpus, "claude-stream-json"))) {
      const found = collector();
      assert.equal(readPath(join(corpus, "claude-stream-json", name), found).outcome, "read", name);
      const { items } = found;
      const calls = ofType(items, "tool_call");
      const counts = {
        tool_use: calls.length,
        tool_result: calls.filter(({ outcome }) => outcome !== "unanswered").length,
        tool_result_is_error: calls.filter(({ outcome }) => outcome === "error" || outcome === "denied")
          .length,
        message_ids: ofType(items, "usage").filter(({ covers, rev }) => covers === "response" && rev === 0)
          .length,
      };
      for (const [field, value] of Object.entries(counts)) {
        const expected = valueAt(truth, `claude-stream-json/${name}`, field);
        if (expected !== value) differences.push(`${name} ${field}: ${value}, not ${String(expected)}`);
      }
    }
    assert.deepEqual(differences, []);
  },
);

const valueAt = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (here, key) =>
      typeof here === "object" && here !== null
        ? Object.entries(here).find(([k]) => k === key)?.[1]
        : undefined,
    value,
  );
