import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { TraceItem } from "../item.ts";
import { filesOf } from "../read/find.ts";
import { follow } from "./follow.ts";
import { Tailer, type PollReport } from "./tailer.ts";

const fixtures = join(import.meta.dirname, "../agents/claude-code/fixtures/transcripts/basic");
const name = "3f6700f9-b812-40d3-8369-eaea590497fe.jsonl";
const text = readFileSync(join(fixtures, name), "utf8");

/** A folder that is followed. Only the system's events call for a poll within the test's life. */
const followed = (context: TestContext, file: string) => {
  const folder = mkdtempSync(join(tmpdir(), "follow-"));
  const path = join(folder, file);
  mkdirSync(join(path, ".."), { recursive: true });
  const stop = new AbortController();
  const items: TraceItem[] = [];
  const reports: PollReport[] = [];
  let polled = (): void => {};
  const tailer = new Tailer({ files: () => filesOf([folder]) });
  const poll = (): void => {
    reports.push(tailer.poll({ item: (item) => items.push(item) }));
    polled();
  };
  const running = follow(poll, { folders: [folder], everyMs: 3_600_000, signal: stop.signal });
  context.after(async () => {
    stop.abort();
    await running;
    rmSync(folder, { recursive: true, force: true });
  });
  /** Resolves once a poll has left things as they are asked to be. */
  const until = (asked: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      polled = () => {
        if (asked()) resolve();
      };
      polled();
    });
  const faults = (): (string | undefined)[] =>
    items.flatMap((item) => (item.type === "mark" && item.kind === "source_fault" ? [item.fault] : []));
  return { path, items, reports, until, faults, stop, running };
};

test("a followed file gives its items when it changes, and a torn line when it is whole", async (context) => {
  const { path, items, reports, until } = followed(context, name);
  const lines = text.split(/(?<=\n)/);
  const half = Math.floor(lines.length / 2);
  const torn = lines[half] ?? "";
  writeFileSync(path, lines.slice(0, half).join("") + torn.slice(0, 20));
  await until(() => items.length > 0);
  const before = items.length;
  appendFileSync(path, torn.slice(20) + lines.slice(half + 1).join(""));
  await until(() => items.length > before && items.some(({ type }) => type === "tool_call"));
  assert.ok(reports.every(({ failed }) => failed.length === 0));
  const [, ...later] = reports.filter(({ parsed }) => parsed > 0);
  assert.ok(
    later.every(({ bytes }) => bytes < text.length),
    "only what was new is read",
  );
});

test("a file that is cut, put in another's place, or deleted while it is followed leaves a mark of each", async (context) => {
  const { path, items, until, faults } = followed(context, name);
  writeFileSync(path, text);
  await until(() => items.length > 0);
  const two = text
    .split(/(?<=\n)/)
    .slice(0, 2)
    .join("");
  truncateSync(path, Buffer.byteLength(two));
  await until(() => faults().length === 1);
  const other = `${path}.other`;
  writeFileSync(other, text.replaceAll("3f6700f9", "4f6700f9"));
  renameSync(other, path);
  await until(() => faults().length === 2);
  rmSync(path);
  // Not every system tells of a file's end; the next poll sees it, whatever calls for it.
  writeFileSync(`${path}.other`, "");
  await until(() => faults().length === 3);
  assert.deepEqual(faults(), ["truncated", "rewritten", "deleted"]);
});

test("it ends when it is told to, with nothing left to wait for", async (context) => {
  const { reports, until, stop, running } = followed(context, name);
  await until(() => reports.length > 0);
  stop.abort();
  await running;
});

const document = (messages: object[], lastUpdated: string): string =>
  JSON.stringify({
    sessionId: "9d3f0000-0000-4000-8000-000000000001",
    projectHash: "p",
    startTime: "2026-07-01T10:00:00.000Z",
    lastUpdated,
    messages,
  });
const user = { id: "m1", type: "user", timestamp: "2026-07-01T10:00:00.000Z", content: "hello" };
const answer = {
  id: "m2",
  type: "gemini",
  timestamp: "2026-07-01T10:00:05.000Z",
  content: "hi",
  model: "gemini-x",
  tokens: { input: 10, output: 2, cached: 0, thoughts: 0, tool: 0, total: 12 },
};

test("a document that is written whole at each step gives only what is new in it", async (context) => {
  const { path, items, reports, until, faults } = followed(context, "chats/session-2026-07-01-9d3f.json");
  writeFileSync(path, document([user], "2026-07-01T10:00:00.000Z"));
  await until(() => items.some(({ type }) => type === "mark"));
  const whole = document([user, answer], "2026-07-01T10:00:05.000Z");
  writeFileSync(path, whole.slice(0, 100));
  const looked = reports.length;
  await until(() => reports.length > looked);
  writeFileSync(path, whole);
  await until(() => items.some(({ type }) => type === "usage"));
  assert.equal(items.filter(({ type }) => type === "mark").length, 1, "the prompt is not given out again");
  assert.equal(items.filter(({ type }) => type === "usage").length, 1);
  rmSync(path);
  writeFileSync(join(path, "..", "other"), "");
  await until(() => faults().length === 1);
  assert.deepEqual(faults(), ["deleted"]);
});

test("a second scan parses no file, whatever kind each is", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "scan-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "chats"));
  writeFileSync(join(folder, name), text);
  writeFileSync(
    join(folder, "chats", "session-1.json"),
    document([user, answer], "2026-07-01T10:00:05.000Z"),
  );
  writeFileSync(join(folder, "nobody.jsonl"), '{"hello":1}\n');
  const tailer = new Tailer({ files: () => filesOf([folder]) });
  const first = tailer.poll({ item: () => {} });
  assert.equal(first.parsed, 2);
  const again: TraceItem[] = [];
  const second = tailer.poll({ item: (item) => again.push(item) });
  assert.deepEqual([second.looked, second.parsed, again.length], [3, 0, 0]);
  // Another process goes on where this one was.
  const later = new Tailer({ files: () => filesOf([folder]), state: tailer.state() });
  assert.equal(later.poll({ item: (item) => again.push(item) }).parsed, 0);
  assert.equal(again.length, 0);
});
