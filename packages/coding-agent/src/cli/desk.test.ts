import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionApi } from "../index.ts";
import { isObject } from "../json.ts";
import { AGENT, createDesk, PROJECT } from "../testing/desk.ts";
import { parseLines } from "../testing/program.ts";

const SCRIPT = `${PROJECT}/script.json`;
const ONE = { [SCRIPT]: { turns: [{ text: "ok" }] } };

/** The user's words as the model was asked, and the system prompt beside them, of the last session's first request. */
const asked = (desk: ReturnType<typeof createDesk>): { prompt: string; system: string } => {
  const path = [...desk.capabilities.fs.files.keys()]
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .at(-1);
  const lines = parseLines(desk.capabilities.fs.files.get(path ?? "")?.data ?? "");
  const record = lines.find(({ customType }) => customType === "orphus.provider.request.v1");
  const data = record?.["data"];
  const body: unknown = JSON.parse(isObject(data) ? String(data["body"]) : "{}");
  assert.ok(isObject(body) && Array.isArray(body["messages"]));
  const textOf = (content: unknown): string =>
    typeof content === "string" ? content : JSON.stringify(content);
  return {
    prompt: body["messages"]
      .map((message: unknown) => (isObject(message) ? textOf(message["content"]) : ""))
      .join("\n"),
    system: JSON.stringify(body["system"]),
  };
};

test("files named with @ and standard input are part of the prompt", async () => {
  const desk = createDesk({ ...ONE, [`${PROJECT}/notes.md`]: "remember\n" });
  const { terminal } = desk;
  Object.assign(terminal, { inputIsTTY: false });
  const run = desk.run("-p", "--script", SCRIPT, "@notes.md", "explain", "this");
  queueMicrotask(() => {
    terminal.send("piped ");
    terminal.send("in\n");
    terminal.end();
  });
  assert.equal((await run).code, 0);
  assert.match(
    asked(desk).prompt,
    /<file path=\\?"notes\.md\\?">(?:\n|\\n)remember(?:\n|\\n)<\/file>(?:\n|\\n){2}piped in(?:\n|\\n){2}explain this/u,
  );
  Object.assign(terminal, { inputIsTTY: true });
  const missing = await desk.run("-p", "--script", SCRIPT, "@nowhere.md", "x");
  assert.deepEqual([missing.code, /nowhere\.md/u.test(missing.stderr)], [2, true]);
});

test("with a prompt, a pipe that nobody writes to is not waited for", async () => {
  const desk = createDesk(ONE);
  Object.assign(desk.terminal, { inputIsTTY: false });
  const run = desk.run("-p", "--script", SCRIPT, "go");
  while (desk.capabilities.clock.sleeping === 0) await Promise.resolve();
  desk.capabilities.clock.advance(1_000);
  assert.deepEqual(await run, { code: 0, stdout: "ok\n", stderr: "" });
});

test("instructions, skills and templates of the user and of a trusted project", async () => {
  const files = {
    ...ONE,
    [`${AGENT}/AGENTS.md`]: "be brief",
    "/home/dev/CLAUDE.md": "from above",
    [`${PROJECT}/AGENTS.md`]: "# Heading\n```\nin here\n```",
    [`${AGENT}/skills/ship/SKILL.md`]: "---\nname: ship\ndescription: How to ship\n---\nPush the button.",
    [`${AGENT}/skills/no-description/SKILL.md`]: "nothing",
    [`${AGENT}/prompts/fix.md`]: '---\ndescription: Fix a thing\n---\nFix $1 in ${2:-all files}; said: "$@".',
    [`${PROJECT}/.orphus/prompts/fix.md`]: "The project's own: $ARGUMENTS",
    [`${PROJECT}/.orphus/skills/theirs/SKILL.md`]: "---\ndescription: Theirs\n---\nx",
  };
  const desk = createDesk(files);
  await desk.run("-p", "--script", SCRIPT, '/fix "the cart"');
  const { prompt, system } = asked(desk);
  assert.match(prompt, /Fix the cart in all files; said: \\?"\\?"the cart\\?"\\?"\./u);
  assert.match(system, /be brief.*from above.*Heading/su);
  assert.match(system, /- ship \(.*ship\/SKILL\.md\): How to ship/u);
  assert.doesNotMatch(system, /Theirs|no-description/u);

  const trusted = createDesk(files);
  await trusted.run("-p", "--trust", "--script", SCRIPT, "/fix", "it");
  assert.match(asked(trusted).prompt, /The project's own: it/u);
  assert.match(asked(trusted).system, /- theirs .*: Theirs/u);

  const skill = createDesk(files);
  await skill.run("-p", "--no-context-files", "--no-skills", "--script", SCRIPT, "/skill:ship now");
  assert.match(asked(skill).prompt, /\/skill:ship now/u);
  assert.doesNotMatch(asked(skill).system, /be brief|How to ship/u);
  const expanded = createDesk(files);
  await expanded.run("-p", "--script", SCRIPT, "/skill:ship", "now");
  assert.match(asked(expanded).prompt, /Push the button\.(?:\n|\\n){2}now/u);
});

test("--system-prompt and --append-system-prompt, as text or from a file", async () => {
  const desk = createDesk({ ...ONE, [`${PROJECT}/end.md`]: "the end" });
  await desk.run(
    "-p",
    "--script",
    SCRIPT,
    "--system-prompt",
    "You are terse.",
    "--append-system-prompt",
    "@end.md",
    "go",
  );
  const { system } = asked(desk);
  assert.match(system, /You are terse\..*the end/su);
  assert.doesNotMatch(system, /You are orphus/u);
});

test("--fork goes on with a session's history in a new one, which names where it came from", async () => {
  const desk = createDesk({ [SCRIPT]: { turns: [{ text: "first" }] } });
  await desk.run("-p", "--script", SCRIPT, "begin");
  const { files } = desk.capabilities.fs;
  const sessions = () => [...files.keys()].filter((name) => name.endsWith(".jsonl"));
  const [source = ""] = sessions();
  const before = files.get(source)?.data;
  await desk.run("-p", "--script", SCRIPT, "--fork", source, "--session-dir", "/forks", "go on");
  const fork = sessions().find((name) => name.startsWith("/forks/")) ?? "";
  const lines = parseLines(files.get(fork)?.data ?? "");
  assert.equal(lines[0]?.["parentSession"], source.split("/").at(-1));
  assert.notEqual(lines[0]?.["id"], parseLines(before ?? "")[0]?.["id"]);
  assert.equal(files.get(source)?.data, before, "the source stays as it was");
  const turns = lines
    .filter(({ customType }) => customType === "orphus.provider.request.v1")
    .map(({ data }) => (isObject(data) ? [data["turn"], data["body"] === undefined] : []));
  assert.deepEqual(turns, [
    [0, true],
    [1, false],
  ]);
});

test("settings choose the model, and permissions decide about calls; nobody to ask is a no", async () => {
  const permissions = [
    { tool: "bash", matches: { command: "^git status" }, decision: "allow" },
    { tool: "bash", matches: { command: "rm" }, decision: "deny", reason: "never" },
    { tool: "bash", decision: "ask" },
  ];
  const call = (id: string, command: string) => ({ id, name: "bash", arguments: { command } });
  const desk = createDesk({
    [`${AGENT}/settings.json`]: { permissions },
    [SCRIPT]: {
      turns: [{ toolCalls: [call("a", "git status"), call("b", "rm x"), call("c", "make")] }, { text: "ok" }],
    },
  });
  const { stdout } = await desk.run("-p", "--mode", "json", "--script", SCRIPT, "go");
  assert.deepEqual(
    parseLines(stdout)
      .filter(({ type }) => type === "tool_execution_end")
      .map(({ toolCallId, outcome, result }) => [toolCallId, outcome, result])
      // Stopped ones end first.
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    [
      ["a", "ok", "(no output)"],
      ["b", "blocked", "Blocked: never"],
      ["c", "blocked", "Blocked: approval is needed, and nobody can be asked"],
    ],
  );
  const file = [...desk.capabilities.fs.files.keys()].find((name) => name.endsWith(".jsonl")) ?? "";
  const audits = parseLines(desk.capabilities.fs.files.get(file)?.data ?? "")
    .filter(({ customType }) => customType === "orphus.tool.audit.v1")
    .map(({ data }) => (isObject(data) ? [data["toolCallId"], data["decider"], data["reason"]] : []));
  assert.deepEqual(audits, [
    ["b", "policy", "never"],
    ["c", "approval", "approval is needed, and nobody can be asked"],
  ]);
  const bad = createDesk({
    ...ONE,
    [`${AGENT}/settings.json`]: { permissions: [{ tool: "x", decision: "maybe" }] },
  });
  const refused = await bad.run("-p", "--script", SCRIPT, "go");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /settings\.json: permissions\.0\.decision/u);
});

test("an extension that cannot be loaded, exports nothing or throws ends the boot with its name", async () => {
  for (const [exported, complaint] of [
    [undefined, /extension x\.ts exports no function/u],
    [
      () => {
        throw new Error("no luck");
      },
      /extension x\.ts: no luck/u,
    ],
  ] as const) {
    const desk = createDesk(ONE, { modules: { [`${PROJECT}/x.ts`]: exported } });
    const { code, stderr } = await desk.run("-p", "--script", SCRIPT, "-e", "x.ts", "go");
    assert.equal(code, 2);
    assert.match(stderr, complaint);
  }
  const desk = createDesk(ONE);
  assert.match(
    (await desk.run("-p", "--script", SCRIPT, "-e", "gone.ts", "go")).stderr,
    /gone\.ts: no such file/u,
  );
  assert.match(
    (await desk.run("-p", "--script", SCRIPT, "--flag", "x=1", "go")).stderr,
    /No extension has the flag x/u,
  );
  assert.ok(
    ![...desk.capabilities.fs.files.keys()].some((name) => name.endsWith(".jsonl")),
    "no session was begun",
  );
});

test("models are listed with window and prices", async () => {
  const desk = createDesk();
  const { stdout } = await desk.run("models", "anthropic/claude-sonnet-4-5");
  assert.match(stdout, /^anthropic\/claude-sonnet-4-5\t\d+ tokens\tthinks\t\$3 in, \$15 out$/mu);
  const json: unknown = JSON.parse((await desk.run("models", "gpt-5", "--json")).stdout);
  assert.ok(Array.isArray(json) && json.length > 0);
});

const rpc = (files: Record<string, unknown>, args: string[] = [], modules: Record<string, unknown> = {}) => {
  const desk = createDesk(files, { modules });
  const done = desk.run("--mode", "rpc", ...args);
  const lines = () => parseLines(desk.terminal.output() || "{}");
  /** Waits for a line, by turns of the event loop and no time. */
  const line = async (fits: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = lines().find(fits);
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    desk,
    done,
    line,
    send: (command: object) => desk.terminal.send(`${JSON.stringify(command)}\n`),
    reply: (id: string) => line((one) => one["type"] === "response" && one["id"] === id),
  };
};

test("rpc: prompts, state, an approval with the exact arguments, and the end of the input", async () => {
  const turns = [
    { toolCalls: [{ id: "c1", name: "bash", arguments: { command: "make all" } }] },
    { toolCalls: [{ id: "c2", name: "bash", arguments: { command: "make most" } }] },
    { text: "built" },
  ];
  const { desk, done, line, send, reply } = rpc(
    {
      [SCRIPT]: { turns },
      [`${AGENT}/settings.json`]: { permissions: [{ tool: "bash", decision: "ask", reason: "runs" }] },
    },
    ["--script", SCRIPT],
    {
      [`${AGENT}/extensions/late.ts`]: (api: ExtensionApi) =>
        api.on("tool_call", ({ input }) => void Object.assign(input, { command: "make all -j2" })),
    },
  );
  await line(({ type }) => type === "session");
  send({ type: "get_state", id: "1" });
  const state = (await reply("1"))["data"];
  assert.ok(isObject(state));
  assert.deepEqual([state["isRunning"], state["tools"]], [false, ["read", "bash", "edit", "write"]]);
  send({ type: "prompt", id: "2", message: "build" });
  assert.equal((await reply("2"))["success"], true);
  const { timestamp: _, ...request } = await line(({ type }) => type === "approval_request");
  assert.deepEqual(request, {
    type: "approval_request",
    approvalId: "c1",
    toolCallId: "c1",
    toolName: "bash",
    arguments: { command: "make all -j2" },
    reason: "runs",
  });
  send({ type: "approval_response", id: "3", approvalId: "c1", approved: true });
  await line(({ approvalId, type }) => type === "approval_request" && approvalId === "c2");
  send({ type: "approval_response", id: "4", approvalId: "c2", approved: false, reason: "no" });
  await line(({ type }) => type === "result");
  assert.deepEqual(
    desk.capabilities.process.spawned.map(({ args }) => args.at(-1)),
    ["make all -j2"],
    "what was shown is what ran",
  );
  send({ type: "get_last_assistant_text", id: "5" });
  assert.deepEqual((await reply("5"))["data"], { text: "built" });
  desk.terminal.end();
  assert.equal((await done).code, 0);
});

test("rpc: mistakes are told and end nothing; an abort ends the run", async () => {
  const { desk, done, line, send, reply } = rpc(
    { [SCRIPT]: { turns: [{ delayMs: 60_000, text: "late" }] } },
    ["--script", SCRIPT],
  );
  await line(({ type }) => type === "session");
  desk.terminal.send("no json\n");
  assert.equal((await line(({ command }) => command === null))["success"], false);
  send({ type: "dance", id: "1" });
  assert.match(String((await reply("1"))["error"]), /no such command; there are: prompt/u);
  send({ type: "prompt", id: "2" });
  assert.match(String((await reply("2"))["error"]), /message/u);
  send({ type: "set_thinking_level", id: "3", level: "low" });
  assert.equal((await reply("3"))["success"], true);
  send({ type: "prompt", id: "4", message: "go" });
  await line(({ type, role }) => type === "message_start" && role === "assistant");
  send({ type: "prompt", id: "5", message: "again" });
  assert.match(String((await reply("5"))["error"]), /being worked on/u);
  send({ type: "abort", id: "6" });
  assert.equal((await line(({ type }) => type === "result"))["subtype"], "aborted");
  desk.capabilities.process.deliver("SIGTERM");
  assert.equal((await done).code, 143);
});
