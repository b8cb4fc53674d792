import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { object, parseJson, type JsonObject } from "../jsonline.ts";
import { schemaErrors } from "../testing/schema.ts";
import { matchesGolden } from "../testing/golden.ts";
import { VERSION } from "../version.ts";

/** The launcher, which finds the Node that was installed with the program. */
const program = join(import.meta.dirname, "..", "..", "bin", "agent-trace");
const path = "/usr/bin:/bin";
const captures = join(import.meta.dirname, "../agents/claude-code/fixtures/transcripts");
const subagent = "e9e93d6e-f8db-4f9f-890b-4d4b5d72f8c1";

/** A home directory in which Claude Code ran once, with a sub-agent. */
const setUp = (context: TestContext): string => {
  const home = mkdtempSync(join(tmpdir(), "agent-trace-home-"));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  cpSync(join(captures, "subagent"), join(home, ".claude", "projects", "-home-dev-lab-proj"), {
    recursive: true,
  });
  return home;
};

/** Runs the program as a user does, in an environment of its own, without a terminal. */
const run = (home: string, ...args: string[]) =>
  spawnSync(program, args, {
    cwd: home,
    env: { HOME: home, PATH: path },
    encoding: "utf8",
    input: "",
  });

const objectsOf = (stdout: string): JsonObject[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => object(parseJson(line)) ?? assert.fail(line));

test("a newcomer's first screen has their own sessions in it and fits 80 columns", (context) => {
  const { status, stdout, stderr } = run(setUp(context), "sessions");
  assert.equal(stderr, "");
  assert.equal(status, 0);
  assert.match(stdout, /Lab task: use a/);
  assert.match(stdout, /~\$0\.00/);
  assert.ok(!stdout.includes("\u001b"), "no colours where there is no terminal");
  for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
});

test("sessions --json is one object a line, pinned by a golden file", (context) => {
  const home = setUp(context);
  const { stdout } = run(home, "sessions", "--json", "--all");
  matchesGolden(join(import.meta.dirname, "golden", "sessions.jsonl"), stdout.replaceAll(home, "<home>"));
});

test("usage --json is one object a line, pinned by a golden file", (context) => {
  const home = setUp(context);
  const all = ["day", "model", "agent", "project"].map(
    (by) => run(home, "usage", "--json", "--by", by).stdout,
  );
  matchesGolden(join(import.meta.dirname, "golden", "usage.jsonl"), all.join(""));
});

test("a person's tables of usage and of one session say what is not exact and what the agent itself says", (context) => {
  const home = setUp(context);
  assert.match(run(home, "usage").stdout, /priced by models\.dev.* of \d{4}-\d\d-\d\d/);
  const { stdout } = run(home, "show", subagent.slice(0, 8));
  assert.match(stdout, /other {2}Agent Count lines/);
  assert.match(stdout, /counted, \$0\.0082 by the agent \(equal\)/);
});

test("read --json gives items that the schema accepts, from a folder as from a file", (context) => {
  const home = setUp(context);
  const folder = objectsOf(run(home, "read", "--json", home).stdout);
  assert.ok(folder.length > 10);
  for (const item of folder) assert.deepEqual(schemaErrors(item), []);
  const file = join(home, ".claude", "projects", "-home-dev-lab-proj", `${subagent}.jsonl`);
  const alone = objectsOf(run(home, "read", "--json", file).stdout);
  assert.ok(alone.length > 0 && alone.every(({ sessionId }) => sessionId === subagent));
});

test("tail --once with a state file gives each item once", (context) => {
  const home = setUp(context);
  const state = join(home, "state.json");
  const first = objectsOf(run(home, "tail", "--once", "--since", "999999", "--state", state).stdout);
  assert.ok(first.some(({ type }) => type === "usage"));
  assert.equal(run(home, "tail", "--once", "--since", "999999", "--state", state).stdout, "");
  assert.doesNotThrow(() => JSON.parse(readFileSync(state, "utf8")));
});

test("export gives spans that do not change from one time to the next", (context) => {
  const home = setUp(context);
  const once = run(home, "export", subagent, "--to", "otlp");
  assert.equal(once.status, 0);
  assert.equal(once.stdout, run(home, "export", subagent).stdout);
  assert.match(once.stdout, /"resourceSpans"/);
});

test("doctor says where was looked and what was not known", (context) => {
  const home = setUp(context);
  const strange = {
    type: "never-seen",
    sessionId: "00000000-0000-4000-8000-000000000000",
    isSidechain: false,
  };
  writeFileSync(
    join(home, "strange.jsonl"),
    `${JSON.stringify({ ...strange, version: "9.9.9" })}\nno record\n`,
  );
  assert.match(run(home, "doctor").stdout, /in .*\.claude\/projects/);
  const [report] = objectsOf(
    run(home, "doctor", "--json", "--agent", "claude-code", join(home, "strange.jsonl")).stdout,
  );
  assert.deepEqual(report?.["novelties"], [
    { what: "kind", name: "never-seen", count: 1, agentVersion: "9.9.9" },
  ]);
  assert.equal(report["unreadLines"], 1);
});

test("a wrong command line ends with 2, what is not there with 1, both with words", (context) => {
  const home = setUp(context);
  for (const [args, code, words] of [
    [["usage", "--by", "moon"], 2, /--by.*choices are day, model, agent, project/],
    [["sessions", "--agent", "nobody"], 2, /unknown agent "nobody"; there are claude-code/],
    [["frobnicate"], 2, /unknown command/],
    [["show", "ffffffff"], 1, /no session begins with ffffffff/],
    [["read", "/nowhere"], 1, /nothing to read there/],
    [["usage", "--prices", "/nowhere"], 1, /ENOENT/],
  ] as const) {
    const { status, stderr } = run(home, ...args);
    assert.equal(status, code, args.join(" "));
    assert.match(stderr, words);
  }
});

test("an empty machine is told so, with what to try next", (context) => {
  const home = mkdtempSync(join(tmpdir(), "agent-trace-empty-"));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const { status, stdout } = run(home, "sessions");
  assert.deepEqual(
    [status, stdout],
    [0, "No sessions found. `agent-trace doctor` shows where was looked.\n"],
  );
});

test("normalize takes paths below where it runs as the project's, for a stream that names no place", (context) => {
  const home = setUp(context);
  const stream = [
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    ...["started", "completed"].map((step) => ({
      type: `item.${step}`,
      item: {
        id: "item_0",
        type: "command_execution",
        command: `cat ${home}/notes.md`,
        aggregated_output: "",
        exit_code: 0,
        status: step === "started" ? "in_progress" : "completed",
      },
    })),
  ];
  const { stdout, status } = spawnSync(program, ["normalize"], {
    cwd: home,
    env: { HOME: "/home/elsewhere", PATH: path },
    encoding: "utf8",
    input: stream.map((line) => `${JSON.stringify(line)}\n`).join(""),
  });
  assert.equal(status, 0);
  const call = objectsOf(stdout).find(({ type }) => type === "tool_call");
  assert.deepEqual([call?.["targets"], call?.["outside"]], [[{ path: "notes.md", touch: "read" }], []]);
});

test("a folder's files that are nobody's are counted and are no fault; a named one is", (context) => {
  const home = setUp(context);
  for (const name of ["a.jsonl", "b.jsonl"]) writeFileSync(join(home, name), "{}\n");
  const folder = run(home, "usage", home);
  assert.deepEqual([folder.status, folder.stderr], [0, "agent-trace: 2 files are no agent's record\n"]);
  for (const line of folder.stdout.split("\n")) assert.ok(line.length <= 80, line);
  const named = run(home, "usage", join(home, "a.jsonl"));
  assert.deepEqual([named.status, named.stderr], [1, `agent-trace: ${home}/a.jsonl: no agent's record\n`]);
});

test("redact masks what comes on stdin", (context) => {
  const home = setUp(context);
  const value = ["abc", "123"].join("");
  const { stdout } = spawnSync(program, ["redact"], {
    env: { HOME: home, PATH: path },
    encoding: "utf8",
    input: `Authorization: token ${value}\n`,
  });
  assert.equal(stdout, "Authorization: token [REDACTED]\n");
});

test("the help fits 80 columns", (context) => {
  const { stdout } = run(setUp(context), "--help");
  assert.match(stdout, /completion <shell>/);
  for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
});

test("the version is the package's", (context) => {
  const manifest = object(parseJson(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")));
  assert.equal(VERSION, manifest?.["version"]);
  assert.equal(run(setUp(context), "--version").stdout, `${VERSION}\n`);
});
