import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import type { Lab } from "./testing/run-lab.ts";
import { call, itemLine, result, session, usage } from "./testing/items-agent.ts";
import { createLab } from "./testing/run-lab.ts";

const writer = fileURLToPath(import.meta.resolve("./testing/writer.ts"));

interface Life {
  /** Where it began. */
  from: number;
  /** The last offset it acknowledged. */
  acked: number;
  done: boolean;
}

/** Runs the writer until it has acknowledged that often, then kills it. */
const live = async (lab: Lab, file: string, acks: number): Promise<Life> => {
  const child = spawn(
    process.execPath,
    ["--conditions=orphus-source", "--disable-warning=ExperimentalWarning", writer, lab.paths.dir, file],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: {},
    },
  );
  const closed = once(child, "close");
  const life: Life = { from: 0, acked: 0, done: false };
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, ...rest] = line.split(" ");
    const offset = Number(rest.at(-1));
    if (word === "from") life.from = offset;
    if (word === "done") life.done = true;
    if (word !== "ack") continue;
    life.acked = Math.max(life.acked, offset);
    seen += 1;
    if (seen === acks) child.kill("SIGKILL");
  }
  await closed;
  return life;
};

test("a writer that is killed again and again loses nothing it acknowledged and doubles nothing", async (t) => {
  const lab = createLab(t);
  lab.down();
  const total = 800;
  const lines = Array.from({ length: total }, (_, number) =>
    itemLine(call(number), usage(`msg-${number}`, { seq: number })),
  );
  const bytes = itemLine(session()) + lines.join("") + itemLine(result("r"));
  const file = join(lab.paths.dir, "bytes");
  writeFileSync(file, bytes);
  let acked = 0;
  let killed = 0;
  // The last one is let live, so that the run ends however slow the machine is.
  for (const acks of [1, 2, 1, 3, 1, 2, Number.POSITIVE_INFINITY]) {
    const life = await live(lab, file, acks);
    assert.ok(life.from >= acked, `${acked} was acknowledged, the next one began at ${life.from}`);
    acked = Math.max(life.acked, life.from);
    if (life.done) break;
    killed += 1;
  }
  lab.up();
  assert.ok(killed > 0, "it was killed in the middle at least once");
  const ref = { harness: "nightly", runId: 1 };
  const calls = lab.items(ref).flatMap(({ item }) => (item.type === "tool_call" ? [item.seq] : []));
  assert.deepEqual(
    calls,
    Array.from({ length: total }, (_, number) => number),
  );
  assert.equal(lab.stream(ref), bytes);
  const run = lab.store.read.run(ref);
  assert.equal(run?.outcome, "success");
  assert.deepEqual(run?.totals.tokens, { input: 100 * total, output: 10 * total });
});
