import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { runCli } from "../cli/run.ts";
import {
  createFakeCapabilities,
  createFakeFileSystem,
  createReplayRuntime,
  NotASessionError,
  type SessionEntry,
} from "../index.ts";
import { createDefaultCapabilities, createFakeTerminalTransport } from "../index.ts";
import { textAnswer } from "../testing/answers.ts";
import { createLoopbackSession } from "../testing/loopback.ts";
import { startModelServer } from "../testing/server.ts";
import { withoutBodies } from "../record/entries.ts";
import { parseSession } from "./parse.ts";

const PATH = "/sessions/2023-11-14T22-13-20-000Z_x.jsonl";
const header = { type: "session", version: 3, id: "x", timestamp: "2023-11-14T22:13:20.000Z", cwd: "/" };
const entry = (id: string, parentId: string | null, name = id) => ({
  type: "session_info",
  id,
  parentId,
  timestamp: header.timestamp,
  name,
});

const open = (lines: readonly unknown[], end = "\n") => {
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n") + end;
  const capabilities = createFakeCapabilities({ fs: createFakeFileSystem({ [PATH]: text }) });
  return createReplayRuntime({ capabilities, session: { kind: "file", path: PATH } });
};

const namesOf = (entries: readonly SessionEntry[]): string[] =>
  entries.flatMap((one) => (one.type === "session_info" ? [one.name] : []));

test("a session file that is cut, has a loop, ids twice or lines of other kinds is gone on with", async () => {
  const cut = await open([header, entry("a", null), JSON.stringify(entry("b", "a")).slice(0, 20)], "");
  assert.deepEqual(namesOf(cut.entries()), ["a"]);
  await cut.session.prompt("go on");
  assert.equal((await cut.session.prompt("and on")).subtype, "success");

  const loop = await open([header, entry("a", "b"), entry("b", "a")]);
  assert.equal((await loop.session.prompt("go")).subtype, "success");

  const twice = await open([header, entry("a", null, "first"), entry("a", null, "second")]);
  assert.deepEqual(namesOf(twice.entries()), ["first"]);

  const odd = await open([
    header,
    "",
    "[1]",
    '{"type":"from_the_future","id":"z","parentId":null}',
    "no json",
  ]);
  assert.deepEqual(
    odd.entries().map(({ id }) => id),
    [
      "z",
      ...odd
        .entries()
        .slice(1)
        .map(({ id }) => id),
    ],
  );
  const [, second] = odd.entries();
  assert.equal(second?.parentId, "z", "what is not known still carries the branch");
});

test("a newer version and another kind of file are refused, and say why", async () => {
  await assert.rejects(open([{ ...header, version: 4 }]), (error: Error) => {
    assert.ok(error instanceof NotASessionError);
    return /version 4; this orphus reads version 3/u.test(error.message);
  });
  for (const lines of [[], ["hello"], [entry("a", null)]])
    await assert.rejects(open(lines), NotASessionError);
});

test("however a file comes in pieces, its lines are the same", async () => {
  const text = [header, entry("a", null, "ü\u2028日本"), entry("b", "a"), entry("c", "b")]
    .map((line) => JSON.stringify(line))
    .join("\n");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(text.length), { maxLength: 8 }),
      fc.boolean(),
      fc.boolean(),
      async (cuts, ended, keepBodies) => {
        const whole = ended ? `${text}\n` : text;
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const pieces = async function* () {
          for (const [index, start] of at.slice(0, -1).entries()) yield whole.slice(start, at[index + 1]);
        };
        const parsed = await parseSession(pieces(), PATH, keepBodies);
        assert.deepEqual(namesOf(parsed.entries), ["ü\u2028日本", "b", "c"]);
        assert.equal(parsed.torn, !ended);
      },
    ),
  );
});

test("bodies that are passed over leave the entries they leave when they are read and dropped", async () => {
  const record = (id: string, customType: string, data: object) => ({
    type: "custom",
    id,
    parentId: null,
    timestamp: header.timestamp,
    customType,
    data,
  });
  const said = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.stringMatching(/^(?:["\\\n,:]|"body":"|"text":"|\\\\u0022){0,12}$/u),
  );
  await fc.assert(
    fc.asyncProperty(said, said, fc.integer({ min: 1, max: 400 }), async (sent, received, size) => {
      const lines = [
        record("a", "orphus.provider.request.v1", { requestId: sent, body: sent, purpose: "compaction" }),
        record("b", "orphus.provider.response.v1", {
          requestId: "r",
          stream: { text: received, sha256: "x" },
        }),
        record("c", "of-an-extension", { body: sent, text: received }),
        { ...entry("d", "c", sent), text: received },
        record("e", "orphus.provider.request.v1", { requestId: "pruned", bodyPath: received }),
      ];
      const cut = JSON.stringify(lines[0]).slice(0, -20);
      const text = [header, ...lines].map((line) => JSON.stringify(line)).join("\n");
      const whole = `${text}\n${cut}\n${JSON.stringify(entry("f", "e"))}\n`;
      const pieces = async function* () {
        for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size);
      };
      const kept = await parseSession(pieces(), PATH, true);
      const slim = await parseSession(pieces(), PATH, false);
      assert.deepEqual(slim.entries, kept.entries.map(withoutBodies));
      assert.equal(slim.unreadable, 1);
      assert.equal(slim.entries.length, lines.length + 1);
    }),
  );
});

test("X-09 files are the user's own; bodies are not held in memory; prune drops them and keeps the hashes", async () => {
  const texts = ["one", "two", "three"];
  const answers = await Promise.all(texts.map((text) => textAnswer("anthropic-messages", text)));
  await using server = await startModelServer(answers);
  await using loop = await createLoopbackSession(server.url, "anthropic-messages", {
    keepBodies: false,
    settings: { compaction: { enabled: false } },
  });
  for (const prompt of ["1", "2", "x".repeat(1_100_000)]) await loop.session.prompt(prompt);
  const path = loop.session.path ?? "";
  assert.deepEqual([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777], [0o600, 0o700]);
  assert.ok(loop.requests().every(({ body, sha256 }) => body === undefined && sha256 !== ""));

  // The conversation itself grows by what is said, whatever the records do.
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const conversation = lines.filter((line) => !line.startsWith('{"type":"custom"'));
  assert.equal(conversation.filter((line) => line.includes('"1"')).length, 1);
  const bodies = lines.filter((line) => line.includes('"body":') || line.includes('"stream":'));
  assert.equal(bodies.length, 5, "two bodies in the file, three answers");
  const spill = join(dirname(path), loop.requests().at(-1)?.bodyPath ?? "");
  assert.ok(existsSync(spill));

  const terminal = createFakeTerminalTransport();
  const capabilities = createDefaultCapabilities({ terminal });
  assert.equal(await runCli(["sessions", "prune", path], capabilities), 0, terminal.errors.join(""));
  assert.match(terminal.output(), /6 bodies dropped/u);
  const pruned = readFileSync(path, "utf8").trimEnd().split("\n");
  assert.ok(!pruned.some((line) => /"(?:body|bodyPath|stream)":/u.test(line)) && !existsSync(spill));
  assert.deepEqual(
    pruned.map((line) => /"sha256":"[\da-f]+"/u.exec(line)?.[0]),
    lines
      .map((line) => /"sha256":"[\da-f]+"/u.exec(line)?.[0])
      .map((hash, index) => (lines[index]?.includes("provider.response") === true ? undefined : hash)),
  );
  assert.deepEqual(
    pruned.filter((line) => !line.startsWith('{"type":"custom"')),
    conversation,
  );
  assert.deepEqual([statSync(path).mode & 0o777, readdirSync(dirname(path)).length], [0o600, 2]);
  assert.equal(await runCli(["sessions", "prune", path], capabilities), 0);
  assert.match(terminal.output(), /0 bodies dropped/u);
});
