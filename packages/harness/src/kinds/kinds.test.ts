import assert from "node:assert/strict";
import test from "node:test";
import { agentNamed } from "@orphus/agent-trace";
import type { Kind } from "./kind.ts";
import { agentKinds, kindCalled } from "./registry.ts";

const argsOf = (kind: Kind, prompt = "Do it."): string[] =>
  kind.promptArgs({ prompt, model: "some/model", autoAccept: true, maxTurns: 5, extra: ["--extra"] });

test("every kind passes model, extra arguments and, last, the prompt", () => {
  for (const kind of agentKinds) {
    const args = argsOf(kind);
    assert.equal(args[args.indexOf("--model") + 1], "some/model", kind.name);
    assert.ok(args.indexOf("--extra") > 0, kind.name);
    assert.equal(args.at(-1), "Do it.", kind.name);
    assert.equal(args.includes("5"), kind.limitsTurns, kind.name);
  }
});

test("a bare one-shot passes neither permission nor limit", () => {
  const bare = (kind: Kind): string =>
    kind.promptArgs({ prompt: "P", autoAccept: false, maxTurns: 0, extra: [] }).join(" ");
  assert.deepEqual(
    Object.fromEntries(agentKinds.map((kind) => [kind.name, `${kind.program} ${bare(kind)}`])),
    {
      "claude-code": "claude -p --verbose --output-format stream-json P",
      codex: "codex exec --json --skip-git-repo-check P",
      crush: "crush run --quiet P",
      opencode: "opencode run --format json P",
      pi: "pi -p --mode json P",
      omp: "omp -p --mode json P",
      orphus: "orphus -p --mode json P",
    },
  );
});

test("a prompt that looks like an option stays a prompt", () => {
  for (const kind of agentKinds) assert.equal(argsOf(kind, "- a list").at(-1), "\n- a list", kind.name);
});

test("a kind is called by its name or an alias", () => {
  assert.equal(kindCalled("claude")?.name, "claude-code");
  assert.equal(kindCalled("codex")?.name, "codex");
  assert.equal(kindCalled("generic"), undefined);
  assert.equal(kindCalled("command"), undefined);
});

/** Whether agent-trace reads the stream that the kind declares: without that its runs could not be recorded. */
const isReadable = (kind: Kind): boolean =>
  kind.stream !== undefined && agentNamed(kind.agent)?.stream?.format === kind.stream;

/** The words by which each agent is asked for the format that its kind declares. */
const askedBy: Record<string, string[]> = {
  "stream-json": ["--output-format", "stream-json"],
  "codex-exec": ["exec", "--json"],
  "opencode-json": ["--format", "json"],
  "pi-json": ["--mode", "json"],
  "omp-json": ["--mode", "json"],
  json: ["--mode", "json"],
};

test("H-24 claude-code declares stream-json", () => {
  assert.equal(kindCalled("claude-code")?.stream, "stream-json");
});

test("H-25 H-26 the declared format is what the command line asks for, and what agent-trace reads", () => {
  for (const kind of agentKinds) {
    const args = argsOf(kind);
    if (kind.stream === undefined) {
      assert.equal(args.includes("json"), false, kind.name);
      continue;
    }
    const words = askedBy[kind.stream] ?? assert.fail(kind.stream);
    const at = args.indexOf(words[0] ?? "");
    assert.deepEqual(args.slice(at, at + words.length), words, kind.name);
    assert.equal(agentNamed(kind.agent)?.stream?.format, kind.stream, kind.name);
  }
  assert.deepEqual(
    agentKinds.filter((kind) => !isReadable(kind)).map(({ name }) => name),
    ["crush"],
  );
});

test("H-19 a resident is the agent's own program on a terminal, with the model, permissions and arguments it can be told", () => {
  const full = (kind: Kind): string =>
    kind.residentArgs({ model: "m", autoAccept: true, extra: ["--extra"] }).join(" ");
  assert.deepEqual(
    Object.fromEntries(agentKinds.map((kind) => [kind.name, `${kind.program} ${full(kind)}`])),
    {
      "claude-code": "claude --dangerously-skip-permissions --model m --extra",
      codex: "codex --no-daemon --dangerously-bypass-approvals-and-sandbox --model m --extra",
      crush: "crush --yolo --extra",
      opencode: "opencode --model m --extra",
      pi: "pi --model m --extra",
      omp: "omp --auto-approve --model m --extra",
      orphus: "orphus --model m --extra",
    },
  );
});
