import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { statePaths } from "../base/paths.ts";
import { straysOf } from "./strays.ts";
import { bootSupervision, definitionOn } from "./testing/supervisor-lab.ts";

const LIMITS = { timeout: 600_000 };

/** `npm run test:faults` looks at every point; without it a few of each kind are looked at. */
const everyPoint = process.env["FAULTS"] === "all";

const SESSION = '"session_id":"5e55"';
const LINES = [
  `{"type":"system","subtype":"init",${SESSION},"cwd":"/w","model":"m","tools":[],"mcp_servers":[]}`,
  ...[1, 2, 3].flatMap((number) => [
    `{"type":"assistant",${SESSION},"message":{"id":"msg_${number}","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_${number}","name":"Bash","input":{"command":"true"}}]}}`,
    `{"type":"user",${SESSION},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_${number}","content":"ok"}]}}`,
  ]),
  `{"type":"result","subtype":"success","is_error":false,"num_turns":3,"duration_ms":5,${SESSION},"result":"ok"}`,
];

/** Says that it was started, and what it has to say a line at a time, so that there are several commits. */
const agent = `#!/bin/sh
echo x >> starts
${LINES.map((line) => `echo '${line}'; sleep 0.03`).join("\n")}
`;

interface Place {
  dir: string;
  state: string;
  workdir: string;
  bin: string;
}

const place = (): Place => {
  const dir = mkdtempSync(join(tmpdir(), "hf-"));
  const all = { dir, state: join(dir, "state"), workdir: join(dir, "work"), bin: join(dir, "bin") };
  for (const folder of [all.state, all.workdir, all.bin]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(all.bin, "claude"), agent);
  chmodSync(join(all.bin, "claude"), 0o755);
  return all;
};

type On = "pipes" | "terminal";

/** Runs a daemon that is killed at a point; resolves to what it said. */
const doomed = ({ state, workdir, bin }: Place, on: On, point: string): Promise<string> => {
  const program = join(import.meta.dirname, "testing", "doomed-daemon.ts");
  const args = ["--conditions=orphus-source", program, state, workdir, bin, on, point];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env: {} }, (error, stdout, stderr) => {
      // Killed is what it is meant to be.
      if (error !== null && error.signal !== "SIGKILL") reject(new Error(`${point}: ${stderr}`));
      else resolve(stdout);
    });
  });
};

const pointsOf = async (on: On): Promise<string[]> => {
  const where = place();
  const said = await doomed(where, on, "");
  rmSync(where.dir, { recursive: true, force: true });
  return [...said.matchAll(/^point (.*)$/gm)].map(([, point = ""]) => point);
};

/** The next daemon on the same folder: it must leave everything in order, whatever the point. */
const recovered = async (where: Place, on: On, point: string, said: string): Promise<void> => {
  const paths = statePaths(where.state);
  const definition = definitionOn(on, where.workdir);
  const daemon = bootSupervision(paths, { PATH: `${where.bin}:/usr/bin:/bin`, HOME: where.workdir });
  try {
    await daemon.supervisor.adopt(new Map([[definition.name, definition]]));
    await daemon.supervisor.idle(definition.name);
    const runs = daemon.store.read.runs({ limit: 10 });
    const starts = existsSync(join(where.workdir, "starts"))
      ? readFileSync(join(where.workdir, "starts"), "utf8").length / 2
      : 0;
    assert.ok(starts <= 1, `${point}: the agent was started ${starts} times`);
    const acknowledged = /^acknowledged (\d+)$/m.exec(said)?.[1];
    if (acknowledged !== undefined) assert.equal(runs[0]?.runId, Number(acknowledged), point);
    if (runs.length === 0) return assert.equal(starts, 0, `${point}: a process without a row`);
    assert.equal(runs.length, 1, point);
    const [run] = runs;
    assert.ok(
      run !== undefined && run.outcome !== "running" && (run.reason ?? "") !== "",
      `${point}: no cause`,
    );
    if (starts === 0) {
      assert.match(run.reason ?? "", /^daemon_crash/, point);
    } else {
      assert.deepEqual([run.outcome, run.exitCode], ["success", 0], `${point}: ${run.reason}`);
      const text =
        on === "pipes"
          ? readFileSync(paths.stream(run.harness, run.runId), "utf8")
          : // Wider than the terminal: the log has them as lines all the same.
            readFileSync(paths.durableLog(run.harness), "utf8").replaceAll(/^\[harness\].*\n/gm, "");
      assert.equal(text, `${LINES.join("\n")}\n`, `${point}: bytes lost or doubled`);
      if (on === "pipes") {
        assert.equal(run.totals.toolCalls, 3, point);
        assert.equal(daemon.store.read.evidence(run).unanswered, 0, point);
      }
    }
    assert.deepEqual(straysOf({ ...run, stateDir: paths.dir }), [], `${point}: a process is left`);
    assert.equal(daemon.supervisor.running, 0, point);
  } finally {
    await daemon.close("end");
  }
};

/** The last of each kind of point; of a run on a terminal, which shares most of them, those that are its own. */
const aFew = (points: readonly string[], on: On): string[] => {
  const kinds = new Map(points.map((point) => [point.replace(/ \d+$/, ""), point]));
  const wanted =
    on === "pipes" ? [...kinds.keys()] : ["after ledger spawned", "before commit", "after commit"];
  return wanted.flatMap((kind) => kinds.get(kind) ?? []);
};

for (const on of ["pipes", "terminal"] as const) {
  test(
    `a daemon killed at any point of a run on ${on} leaves a record that the next one makes whole`,
    LIMITS,
    async () => {
      const points = await pointsOf(on);
      assert.ok(points.length >= 12, points.join(", "));
      for (const point of everyPoint ? points : aFew(points, on)) {
        const where = place();
        const said = await doomed(where, on, point);
        await recovered(where, on, point, said);
        rmSync(where.dir, { recursive: true, force: true });
      }
    },
  );
}
