import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { normalizeText } from "../testing/collect.ts";
import { RecordFold } from "../totals/fold.ts";
import { toAtif } from "./index.ts";
import { atifErrors } from "./testing/schema.ts";

const agents = join(import.meta.dirname, "..", "agents");
const files = globSync("*/fixtures/**/{*.stream,stdout*}.jsonl", { cwd: agents }).filter(
  (file) => !file.includes("node_modules"),
);
const foldOf = (file: string): RecordFold => {
  const fold = new RecordFold();
  for (const item of normalizeText(readFileSync(join(agents, file), "utf8")).items) fold.add(item);
  return fold;
};

test("every capture becomes trajectories that the format allows; the check does find faults", () => {
  assert.ok(files.length > 40);
  for (const file of files) {
    for (const record of foldOf(file).sessions) {
      const trajectory = toAtif(record);
      assert.deepEqual(atifErrors(trajectory), [], file);
      assert.deepEqual(
        trajectory.steps.map(({ step_id }) => step_id),
        trajectory.steps.map((_, index) => index + 1),
      );
      const called = trajectory.steps.flatMap(({ tool_calls = [] }) =>
        tool_calls.map((call) => call.tool_call_id),
      );
      assert.deepEqual(called.toSorted(), [...record.calls.keys()].toSorted(), file);
    }
  }
  assert.notDeepEqual(atifErrors({ schema_version: "ATIF-v1.4" }), []);
  assert.notDeepEqual(
    atifErrors({
      schema_version: "ATIF-v1.4",
      session_id: "s",
      agent: { name: "a", version: "1" },
      steps: [{}],
    }),
    [],
  );
});

test("calls stand with their response, failures with their kind, and a sub-agent is referred to", () => {
  const parent = foldOf("claude-code/fixtures/subagent.stream.jsonl").sessions.find(
    ({ session }) => session?.parentSessionId === undefined,
  );
  assert.ok(parent);
  const refs = toAtif(parent).steps.flatMap(({ observation }) =>
    (observation?.results ?? []).flatMap(({ subagent_trajectory_ref = [] }) => subagent_trajectory_ref),
  );
  assert.ok(refs.length > 0 && refs.every(({ session_id }) => session_id.startsWith(`${parent.sessionId}/`)));
  const [basic] = foldOf("claude-code/fixtures/basic.stream.jsonl").sessions;
  assert.ok(basic);
  const trajectory = toAtif(basic);
  const results = trajectory.steps.flatMap(({ observation }) => observation?.results ?? []);
  assert.ok(results.some(({ content }) => content === "exit_nonzero"));
  assert.equal(trajectory.agent.version, "2.1.332");
  assert.ok((trajectory.final_metrics?.total_prompt_tokens ?? 0) > 0);
});
