import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { until } from "../support/until.ts";

/** Pids of what belongs to a state folder: its daemon, keeper and agents. */
const processesOf = (state: string): number[] =>
  readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const words = ["environ", "cmdline"]
        .map((file) => readFileSync(join("/proc", pid, file), "utf8"))
        .join("\0");
      const ours = words.includes(`HARNESS_STATE_DIR=${state}\0`) || words.includes(`${state}/keeper-`);
      return ours ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });

test("a test that is killed leaves neither daemon, keeper nor agent behind", async () => {
  const program = join(import.meta.dirname, "..", "support", "victim.ts");
  const victim = spawn(process.execPath, ["--conditions=orphus-source", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const state = String((await once(victim.stdout, "data"))[0]).trim();
  assert.ok(processesOf(state).length >= 3, "daemon, keeper and agent are found while they run");
  victim.kill("SIGKILL");
  await once(victim, "exit");
  await until("everything is gone", () => processesOf(state).length === 0);
  rmSync(dirname(state), { recursive: true, force: true });
});
