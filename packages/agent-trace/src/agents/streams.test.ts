import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { createNormalizer } from "../normalize.ts";
import type { JsonValue } from "../reader.ts";
import { agentNamed, agents } from "./registry.ts";
import { collector, normalizeText, readLines } from "../testing/collect.ts";
import { matchesGolden } from "../testing/golden.ts";
import { mutated } from "../testing/mutations.ts";
import { schemaErrors } from "../testing/schema.ts";

interface Capture {
  agent: (typeof agents)[number];
  name: string;
  text: string;
  golden: string;
}

const captures: Capture[] = agents.flatMap((agent) =>
  globSync(`${agent.name}/fixtures/*.stream.jsonl`, { cwd: import.meta.dirname }).map((file) => ({
    agent,
    name: `${agent.name} ${basename(file, ".stream.jsonl")}`,
    text: readFileSync(join(import.meta.dirname, file), "utf8"),
    golden: join(
      import.meta.dirname,
      dirname(file),
      "..",
      "golden",
      `${basename(file, ".stream.jsonl")}.stream.jsonl`,
    ),
  })),
);

for (const capture of captures) {
  test(`${capture.name}: the stream is recognised and gives the items of its golden file`, () => {
    const { items, unreads } = normalizeText(capture.text);
    assert.deepEqual(unreads, []);
    matchesGolden(capture.golden, items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  });
}

test("every item of every capture is valid by the shipped schema, which does find faults", () => {
  for (const capture of captures) {
    for (const item of normalizeText(capture.text).items)
      assert.deepEqual(schemaErrors(item), [], JSON.stringify(item));
  }
  assert.notDeepEqual(
    schemaErrors({ v: 1, type: "tool_call", sessionId: "s", key: "k", rev: 0, seq: 0 }),
    [],
  );
});

test("a reader made from another's state goes on as that one would have", () => {
  for (const { agent, text, name } of captures) {
    const lines = text.split("\n").filter((line) => line !== "");
    assert.deepEqual(readLines(agent, lines, true).items, readLines(agent, lines).items, name);
  }
});

test("any chunking and any restart between chunks gives the same items", () => {
  const [first] = captures;
  assert.ok(first !== undefined);
  const bytes = Buffer.from(first.text);
  const whole = normalizeText(first.text).items;
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
      const collected = collector();
      const sorted = [...new Set(cuts)].sort((a, b) => a - b);
      let normalizer = createNormalizer({ agent: first.agent.name });
      let from = 0;
      for (const cut of [...sorted, bytes.length]) {
        normalizer.push(bytes.subarray(from, cut), collected);
        const state = normalizer.state();
        normalizer = createNormalizer({ agent: first.agent.name, state });
        from = positionOf(state);
      }
      normalizer.push(bytes.subarray(from), collected);
      normalizer.end(collected);
      assert.deepEqual(collected.items, whole);
    }),
    { numRuns: 60 },
  );
});

const positionOf = (state: JsonValue): number =>
  typeof state === "object" && state !== null && !Array.isArray(state) ? Number(state["position"]) : 0;

test("no damage to a stream makes a reader throw, repeat a revision, or give an item the schema refuses", () => {
  for (const { agent, text, name } of captures) {
    const lines = text.split("\n").filter((line) => line !== "");
    fc.assert(
      fc.property(mutated(lines), (damaged) => {
        const { items } = normalizeText(damaged.join("\n"), { agent: agent.name });
        const seen = new Map<string, number>();
        for (const item of items) {
          const identity = JSON.stringify([item.sessionId, item.type, item.key]);
          const last = seen.get(identity);
          assert.ok(
            last === undefined || item.rev > last,
            `${name}: ${identity} has revision ${item.rev} after ${last}`,
          );
          seen.set(identity, item.rev);
          assert.deepEqual(schemaErrors(item), [], JSON.stringify(item));
        }
      }),
      { numRuns: 25 },
    );
  }
});

test("H-27 H-29 a normalizer takes bytes, not a path, and its records end with the agent's own result", () => {
  const basic = captures.find(({ name }) => name === "claude-code basic");
  assert.ok(basic !== undefined);
  const types = normalizeText(basic.text).items.map((item) => item.type);
  assert.equal(types[0], "session");
  assert.ok(types.includes("result"));
});

test("an agent without a structured stream is refused by name, and the ones that have one are listed", () => {
  assert.throws(
    () => createNormalizer({ agent: "crush" }),
    /crush has no structured stream.*claude-code, .*orphus/,
  );
  assert.equal(agentNamed("claude-code")?.stream?.format, "stream-json");
});
