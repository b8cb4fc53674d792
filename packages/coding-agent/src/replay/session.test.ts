import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createAgentSession, createDefaultCapabilities, createFakeTerminalTransport } from "../index.ts";
import { runCli } from "../cli/run.ts";
import { messagesAnswer } from "../testing/answers.ts";
import { AGENT, createDesk, PROJECT } from "../testing/desk.ts";
import { createSandbox } from "../testing/program.ts";
import { startModelServer } from "../testing/server.ts";

const SCRIPT = `${PROJECT}/script.json`;
const call = (id: string, name: string, args: object) => ({ id, name, arguments: args });

const script = {
  turns: [
    { error: "Overloaded", status: 529 },
    { text: "Looking.", thinking: "hm", toolCalls: [call("c1", "read", { path: "a.txt" })] },
    {
      toolCalls: [call("c2", "bash", { command: "make" }), call("c3", "write", { path: "b", content: "x" })],
    },
    { text: "Done.", usage: { input: 10, output: 2 } },
  ],
};

const files = { [SCRIPT]: script, [`${PROJECT}/a.txt`]: "hello\n", [`${PROJECT}/AGENTS.md`]: "Use tabs.\n" };

/** A desk with one recorded session on it. */
const recorded = async (
  more: Record<string, unknown> = {},
  options: Parameters<typeof createDesk>[1] = {},
  prompt = "do it",
) => {
  const desk = createDesk(
    {
      ...files,
      [`${AGENT}/settings.json`]: { retry: { maxRetries: 3, baseDelayMs: 0, maxDelayMs: 0 } },
      ...more,
    },
    options,
  );
  desk.capabilities.process.script("/bin/sh", { result: { stdout: "made\n" } });
  const { code, stderr } = await desk.run("-p", "--script", SCRIPT, prompt);
  assert.deepEqual([code, stderr], [0, ""]);
  const { fs } = desk.capabilities;
  const path = [...fs.files.keys()].find((name) => name.endsWith(".jsonl")) ?? "";
  return { desk, fs, path, file: fs.files.get(path) ?? { data: "", mode: 0 } };
};

test("X-14 a recorded session is the same again, twice to the byte, and changes nothing", async () => {
  const { desk, fs, path } = await recorded();
  const before = structuredClone(fs.files);
  const spawned = desk.capabilities.process.spawned.length;
  const first = await desk.run("replay", path, "--json");
  assert.deepEqual([first.code, first.stderr], [0, ""], first.stdout);
  const report: unknown = JSON.parse(first.stdout);
  assert.deepEqual(report, {
    session: JSON.parse(fs.files.get(path)?.data.split("\n")[0] ?? "").id,
    tools: "record",
    requests: 4,
    matched: 4,
    outcome: "same",
    summary: "all 4 requests are the same",
    masked: [],
  });
  assert.equal((await desk.run("replay", path, "--json")).stdout, first.stdout);
  assert.deepEqual(fs.files, before);
  assert.equal(desk.capabilities.process.spawned.length, spawned, "no command was run");
});

test("X-14 the first request that differs is told with its turn, the place, and both sides", async () => {
  const { desk, fs, path } = await recorded();
  fs.files.set(`${PROJECT}/AGENTS.md`, { data: "Use blanks.\n", mode: 0o600 });
  const { code, stdout } = await desk.run("replay", path);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^the request of turn 0, attempt 0 differs from the one on record \(0 of 4 matched\)/u,
  );
  assert.match(stdout, /system\[0\]\.text\n +- .*tabs.*\n +\+ .*blanks/u);
});

test("X-14 tools on record give what they gave; live ones run, and what they find is compared", async () => {
  const { desk, fs, path } = await recorded();
  fs.files.set(`${PROJECT}/a.txt`, { data: "changed\n", mode: 0o600 });
  assert.equal((await desk.run("replay", path, "--tools", "record")).code, 0);
  const live = await desk.run("replay", path, "--tools", "live", "--json");
  assert.equal(live.code, 1);
  assert.match(live.stdout, /"turn": 1,/u);
  assert.match(live.stdout, /"recorded": "hello\\n",\s+"replayed": "changed\\n"/u);
  fs.files.set(`${PROJECT}/a.txt`, { data: "hello\n", mode: 0o600 });
  fs.files.delete(`${PROJECT}/b`);
  assert.equal((await desk.run("replay", path, "--tools", "live")).code, 0);
  assert.equal(fs.files.get(`${PROJECT}/b`)?.data, "x");
});

test("X-14 a session without bodies, with a cut response or an abandoned request says from where it cannot go on", async () => {
  const { desk, path, file } = await recorded();
  const whole = file.data;
  const edit = (index: number, change: (data: Record<string, unknown>) => void, type: string): void => {
    let seen = 0;
    file.data = whole
      .split("\n")
      .map((line) => {
        if (!line.includes(`"${type}"`)) return line;
        seen += 1;
        if (seen !== index) return line;
        const entry: { data: Record<string, unknown> } = JSON.parse(line);
        change(entry.data);
        return JSON.stringify(entry);
      })
      .join("\n");
  };
  const replayed = async () => {
    const { code, stdout } = await desk.run("replay", path);
    return [code, stdout.split("\n", 1)[0]];
  };
  edit(3, (data) => Object.assign(data["stream"] ?? {}, { truncated: true }), "orphus.provider.response.v1");
  assert.deepEqual(await replayed(), [
    3,
    "not replayable from turn 1: the response was longer than what is kept of one (2 of 4 matched)",
  ]);
  edit(2, (data) => delete data["body"], "orphus.provider.request.v1");
  assert.deepEqual(await replayed(), [
    3,
    "not replayable from turn 0: the request's body is not on record any more (1 of 4 matched)",
  ]);
  // The process died when the last request had left.
  const lines = whole.split("\n");
  const last = lines.findLastIndex((line) => line.includes("provider.request.v1"));
  file.data = `${lines.slice(0, last + 1).join("\n")}\n`;
  assert.deepEqual(await replayed(), [
    3,
    "not replayable from turn 2: the request was abandoned: no response is on record (3 of 4 matched)",
  ]);
  file.data = lines.slice(0, 1).join("\n");
  assert.deepEqual(await replayed(), [3, "not replayable: no request is on record (0 of 0 matched)"]);
  file.data = whole;
  assert.equal((await desk.run("sessions", "prune", path)).code, 0);
  assert.match(String((await replayed())[1]), /^not replayable from turn 0/u);
});

test("X-14 what is masked on record is no divergence, and is listed", async () => {
  const secret = ["quite", "secret", "4711"].join("-");
  const { desk, fs, path } = await recorded({}, { env: { SHOP_API_KEY: secret } }, `use ${secret}`);
  assert.ok(
    fs.files.get(path)?.data.includes("[redacted]") || fs.files.get(path)?.data.includes("[REDACTED]"),
  );
  assert.equal((await desk.run("replay", path)).code, 0);
  // The variable is gone: what stood there cannot be known any more.
  const without = createDesk({});
  for (const [name, one] of fs.files) without.capabilities.fs.files.set(name, one);
  const { code, stdout } = await without.run("replay", path);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /masked on record, not compared: [\da-f-]{36} messages\[0\]/u);
});

test("X-14 what was denied on record is denied again; what was said meanwhile is said again", async () => {
  const permissions = [{ tool: "bash", decision: "ask", reason: "commands" }];
  const { desk, path } = await recorded({
    [`${AGENT}/settings.json`]: { permissions, retry: { maxRetries: 3, baseDelayMs: 0, maxDelayMs: 0 } },
  });
  assert.match(desk.capabilities.fs.files.get(path)?.data ?? "", /"decider":"approval"/u);
  assert.equal((await desk.run("replay", path)).code, 0);
});

test("X-14 a session recorded against a server is replayed without one, steering and summaries too", async () => {
  const answers = await Promise.all(
    [
      { toolCalls: [{ id: "c1", name: "ls", arguments: {} }], usage: { input: 20, output: 5 } },
      { text: "heard", usage: { input: 30, output: 5 } },
      { text: "the summary" },
      { text: "after it" },
    ].map(messagesAnswer),
  );
  using sandbox = createSandbox();
  const models = [{ id: "m", contextWindow: 100_000 }];
  {
    await using server = await startModelServer(answers);
    const { session } = await createAgentSession({
      capabilities: createDefaultCapabilities(),
      cwd: sandbox.project,
      session: { kind: "new", dir: sandbox.root },
      tools: ["ls"],
      model: { provider: "loop", model: "m" },
      settings: { compaction: { keepRecentTokens: 1 } },
      extensionFactories: [
        (api) => api.registerProvider("loop", { api: "anthropic-messages", baseUrl: server.url, models }),
      ],
    });
    session.subscribe(({ type }) => type === "tool_execution_start" && session.steer("and be quick"));
    await session.prompt("look");
    assert.equal(await session.compact(), true);
    await session.prompt("go on");
    await session.dispose();
    assert.equal(server.hits.length, 4);
    mkdirSync(join(sandbox.root, "home", ".orphus", "agent"), { recursive: true });
    writeFileSync(
      join(sandbox.root, "home", ".orphus", "agent", "settings.json"),
      JSON.stringify({
        compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 1 },
        tools: ["ls"],
      }),
    );
    writeFileSync(join(sandbox.root, "where"), session.path ?? "");
  }
  const path = readFileSync(join(sandbox.root, "where"), "utf8");
  assert.equal(dirname(path), sandbox.root);
  const { code, stdout, stderr } = await sandbox.run(["replay", path]);
  assert.deepEqual([code, stdout, stderr], [0, "all 4 requests are the same (4 of 4 matched)\n", ""]);
});

test("a replay that cannot begin says why", async () => {
  const terminal = createFakeTerminalTransport();
  const capabilities = createDefaultCapabilities({ terminal });
  assert.equal(await runCli(["replay", "/nowhere.jsonl"], capabilities), 2);
  assert.equal(await runCli(["replay"], capabilities), 2);
  assert.equal(await runCli(["replay", "/nowhere.jsonl", "--model", "m"], capabilities), 2);
  assert.match(terminal.errors.join(""), /nowhere\.jsonl.*missing required argument.*the one on record/su);
});
