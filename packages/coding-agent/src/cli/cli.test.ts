import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { isObject } from "../json.ts";
import { createSandbox, parseLines } from "../testing/program.ts";
import { startModelServer } from "../testing/server.ts";
import { renderResponse } from "../provider/scripted/response.ts";

const SCRIPTED = ["-p", "--provider", "scripted", "--script", "script.json"];

const triage = {
  model: { id: "scripted-1", cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
  turns: [
    {
      text: "Looking.",
      toolCalls: [{ name: "read", arguments: { path: "a.txt" } }],
      usage: { input: 1000, output: 100 },
    },
    {
      toolCalls: [{ name: "write", arguments: { path: "out/b.txt", content: "one\ntwo\n" } }],
      usage: { output: 100 },
    },
    {
      toolCalls: [
        { name: "edit", arguments: { path: "out/b.txt", edits: [{ oldText: "two", newText: "three" }] } },
        { name: "bash", arguments: { command: "cat out/b.txt" } },
        { name: "bash", arguments: { command: "exit 3" } },
        { name: "read", arguments: { path: "missing.txt" } },
      ],
      usage: { input: 10, output: 10, cacheRead: 1000 },
    },
    { text: "Done.", usage: { input: 10, output: 10 } },
  ],
};

const validator = (name: string) => {
  const file = join(import.meta.dirname, "..", "..", "schema", `${name}.schema.json`);
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(isObject(schema));
  return new Ajv({ strict: false }).compile(schema);
};

test("orphus -p --mode json works on real files with real commands, and says what it cost", async () => {
  using sandbox = createSandbox();
  sandbox.file("a.txt", "hello\n");
  sandbox.file("script.json", triage);
  const { code, stdout, stderr } = await sandbox.run([...SCRIPTED.slice(1), "--mode", "json", "do it"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(sandbox.read("out/b.txt"), "one\nthree\n");
  const lines = parseLines(stdout);
  const isStreamLine = validator("stream");
  for (const line of lines) assert.ok(isStreamLine(line), JSON.stringify([line, isStreamLine.errors]));
  assert.deepEqual(
    lines
      .filter(({ type }) => type === "tool_execution_end")
      .map(({ toolName, outcome, exitCode }) => [toolName, outcome, exitCode]),
    [
      ["read", "ok", undefined],
      ["write", "ok", undefined],
      ["edit", "ok", undefined],
      ["bash", "ok", 0],
      ["bash", "error", 3],
      ["read", "error", undefined],
    ],
  );
  const { timestamp: _at, durationMs: _ms, entryId, ...result } = lines.at(-1) ?? {};
  assert.deepEqual(result, {
    type: "result",
    subtype: "success",
    isError: false,
    turns: 4,
    text: "Done.",
    usage: { input: 1020, output: 220, cacheRead: 1000, cacheWrite: 0 },
    costUsd: 0.00666,
    requests: 4,
  });

  const entries = parseLines(readFileSync(sandbox.sessionPath(), "utf8"));
  const isSessionLine = validator("session");
  for (const entry of entries) assert.ok(isSessionLine(entry), JSON.stringify([entry, isSessionLine.errors]));
  assert.deepEqual(entries[0], lines[0], "the stream begins with the session's header");
  assert.equal(entries.at(-1)?.["id"], entryId);
  assert.deepEqual(
    entries
      .filter(({ type }) => type === "message")
      .map(({ id, message, request }) => [id, message, request]),
    lines
      .filter(({ type }) => type === "message_end")
      .map(({ entryId: id, message, request }) => [id, message, request]),
  );
  assert.deepEqual(
    [statSync(sandbox.sessionPath()).mode & 0o777, statSync(dirname(sandbox.sessionPath())).mode & 0o777],
    [0o600, 0o700],
  );
});

test("text mode prints the answer and nothing else; --continue goes on with the session", async () => {
  using sandbox = createSandbox();
  sandbox.file("script.json", { turns: [{ text: "Yes." }] });
  const first = await sandbox.run([...SCRIPTED, "are", "you", "there?"]);
  assert.deepEqual(first, { code: 0, stdout: "Yes.\n", stderr: "" });
  await sandbox.run([...SCRIPTED, "--continue", "still?"]);
  const prompts = parseLines(readFileSync(sandbox.sessionPath(), "utf8")).filter(
    ({ message }) => isObject(message) && message["role"] === "user",
  );
  assert.equal(prompts.length, 2);
});

test("a failed or cut run exits with 1 in both modes", async () => {
  using sandbox = createSandbox();
  for (const turn of [
    { error: "no access", status: 401 },
    { text: "cut", stopReason: "length" },
  ]) {
    sandbox.file("script.json", { turns: [turn] });
    for (const mode of ["text", "json"])
      assert.equal((await sandbox.run([...SCRIPTED, "--mode", mode, "go"])).code, 1, mode);
  }
});

test("a bad script is refused with its file, its place and what belongs there", async () => {
  using sandbox = createSandbox();
  const cases: [unknown, RegExp][] = [
    ["{", /script\.json: not valid JSON/u],
    [{ turns: [{ txt: "typo" }] }, /turns\[0\].*txt|txt.*turns\[0\]/su],
    [
      {
        turns: [
          {
            toolCalls: [
              { id: "x", name: "a" },
              { id: "x", name: "b" },
            ],
          },
        ],
      },
      /two tool calls have the id x/u,
    ],
    [[], /the file/u],
  ];
  for (const [script, complaint] of cases) {
    sandbox.file("script.json", script);
    const { code, stdout, stderr } = await sandbox.run([...SCRIPTED, "--mode", "json", "go"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, complaint);
  }
  const missing = await sandbox.run(["-p", "--script", "nowhere.json", "go"]);
  assert.deepEqual(
    [missing.code, /nowhere\.json: the script cannot be read/u.test(missing.stderr)],
    [2, true],
  );
});

test("mistakes on the command line exit with 2 and say what to do", async () => {
  using sandbox = createSandbox();
  for (const [args, complaint] of [
    [["-p"], /no prompt/u],
    [["-p", "go"], /no model is chosen/u],
    [["-p", "--provider", "nobody", "--model", "m", "go"], /No provider is named nobody/u],
    [["-p", "--provider", "anthropic", "--model", "claude-nothing", "go"], /has no model claude-nothing/u],
    [["-p", "--provider", "scripted", "go"], /add --script/u],
    [["-p", "--mode", "xml", "go"], /choices/u],
  ] as const) {
    const { code, stderr } = await sandbox.run(args);
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, complaint);
  }
});

test("SIGTERM and SIGINT end a run in order: an aborted message, a result, and the signal's code", async () => {
  for (const [signal, expected] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const) {
    using sandbox = createSandbox();
    sandbox.file("script.json", {
      turns: [{ toolCalls: [{ name: "bash", arguments: { command: "echo up; sleep 60" } }] }],
    });
    const { child, ended } = sandbox.start([...SCRIPTED, "--mode", "json", "go"]);
    child.stdout.on("data", (text: string) => text.includes("tool_execution_update") && child.kill(signal));
    const { code, stdout } = await ended;
    const lines = parseLines(stdout);
    assert.equal(code, expected);
    assert.deepEqual(
      [lines.at(-1)?.["subtype"], lines.find(({ type }) => type === "tool_execution_end")?.["outcome"]],
      ["aborted", "aborted"],
    );
    const last = lines.findLast(({ type }) => type === "message_end")?.["message"];
    assert.ok(isObject(last));
    assert.deepEqual(
      [last["role"], last["stopReason"], last["errorMessage"]],
      ["assistant", "aborted", `interrupted by ${signal}`],
    );
  }
});

test("O-27 O-30 O-135 X-01 X-04 against a live server each request is on disk before it arrives, with the hash of its bytes", async () => {
  const answers = await Promise.all(
    [
      { error: "Overloaded", status: 529 },
      {
        toolCalls: [{ id: "toolu_1", name: "read", arguments: { path: "a.txt" } }],
        usage: { input: 10, output: 5 },
      },
      { text: "Read it.", usage: { input: 20, output: 5 } },
    ].map(async (turn) => {
      const response = renderResponse(turn, "claude-sonnet-4-5", (size) => new Uint8Array(size));
      return {
        status: response.status,
        body: await response.text(),
        type: response.headers.get("content-type") ?? "",
      };
    }),
  );
  const recorded: string[] = [];
  const key = ["sk", "ant", "api03", "x".repeat(20)].join("-");
  let sessionPath = "";
  await using server = await startModelServer(answers, ({ body }) => {
    const hash = createHash("sha256").update(body).digest("hex");
    recorded.push(String(readFileSync(sessionPath, "utf8").includes(`"sha256":"${hash}"`)));
  });
  using sandbox = createSandbox({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: key });
  sandbox.file("a.txt", "hello\n");
  mkdirSync(join(sandbox.project, "empty"));
  const args = [
    "-p",
    "--mode",
    "json",
    "--provider",
    "anthropic",
    "--model",
    "claude-sonnet-4-5",
    "read a.txt",
  ];
  const { child, ended } = sandbox.start(args);
  child.stdout.once("data", () => (sessionPath = sandbox.sessionPath()));
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stderr, recorded], [0, "", ["true", "true", "true"]]);
  const result = parseLines(stdout).at(-1);
  assert.deepEqual([result?.["text"], result?.["requests"]], ["Read it.", 3]);
  assert.equal(server.hits[0]?.headers["x-api-key"], key);
  assert.ok(!readFileSync(sessionPath, "utf8").includes(key) && !stdout.includes(key));
});
