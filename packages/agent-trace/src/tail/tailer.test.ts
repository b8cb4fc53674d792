import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../reader.ts";
import type { FoundFile } from "../read/find.ts";
import { filesOf } from "../read/find.ts";
import { readPath } from "../read/read-path.ts";
import { collector, settled, type Collected } from "../testing/collect.ts";
import { Tailer } from "./tailer.ts";

const capture = join(
  import.meta.dirname,
  "../agents/claude-code/fixtures/transcripts/basic/3f6700f9-b812-40d3-8369-eaea590497fe.jsonl",
);
const bytes = readFileSync(capture);

/** A folder with one session's file in it, and a tailer over the folder. */
const setUp = (context: TestContext, content: Uint8Array = bytes) => {
  const folder = mkdtempSync(join(tmpdir(), "tail-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "3f6700f9-b812-40d3-8369-eaea590497fe.jsonl");
  writeFileSync(file, content);
  const open = (state?: JsonValue): Tailer => new Tailer({ files: () => filesOf([folder]), state });
  return { folder, file, open, sink: collector() };
};

const faults = ({ items }: Collected): (string | undefined)[] =>
  items.flatMap((item) => (item.type === "mark" && item.kind === "source_fault" ? [item.fault] : []));

test("what a tailer gives, line by line and over restarts, is what one reading of the whole file gives", (context) => {
  const { file, open, sink } = setUp(context, new Uint8Array());
  const whole = collector();
  readPath(capture, whole);
  let state: JsonValue | undefined;
  for (const line of bytes.toString().split(/(?<=\n)/)) {
    appendFileSync(file, line);
    const tailer = open(state);
    tailer.poll(sink);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON of a JSON value is one again
    state = JSON.parse(JSON.stringify(tailer.state())) as JsonValue;
  }
  // The end of the file is not the end of the session: what only an end gives is left out.
  const closing = (item: { type: string }): boolean => item.type !== "session";
  assert.deepEqual(sink.items.filter(closing), whole.items.filter(closing));
});

test("any cuts between polls give the same items: a torn last line waits", (context) => {
  const { file, open } = setUp(context);
  const expected = collector();
  open().poll(expected);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
      writeFileSync(file, "");
      const found = collector();
      const tailer = open();
      for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
        appendFileSync(file, bytes.subarray(statSync(file).size, cut));
        tailer.poll(found);
      }
      assert.deepEqual(found.items, expected.items);
    }),
    { numRuns: 40 },
  );
});

test("an unchanged file is never parsed again, also by a tailer that was restarted", (context) => {
  const { open, sink } = setUp(context);
  const tailer = open();
  assert.equal(tailer.poll(sink).parsed, 1);
  assert.deepEqual([tailer.poll(sink).parsed, open(tailer.state()).poll(sink).parsed], [0, 0]);
});

test("a file that grew is read from where it was, not anew", (context) => {
  const { file, open, sink } = setUp(context);
  const tailer = open();
  tailer.poll(sink);
  appendFileSync(file, '{"type":"mode"}\n');
  assert.deepEqual([tailer.poll(sink).bytes, faults(sink)], [16, []]);
});

test("a file that became shorter is reported and read anew; nothing is counted twice", (context) => {
  const { file, open, sink } = setUp(context);
  const tailer = open();
  tailer.poll(sink);
  const before = settled(sink.items).filter(({ type }) => type !== "mark").length;
  truncateSync(file, 20_000);
  tailer.poll(sink);
  assert.deepEqual(faults(sink), ["truncated"]);
  assert.equal(settled(sink.items).filter(({ type }) => type !== "mark").length, before);
});

test("a file put in another's place, or rewritten where it lies, is reported and read anew", (context) => {
  const { folder, file, open, sink } = setUp(context, bytes.subarray(0, 20_000));
  const tailer = open();
  tailer.poll(sink);
  const other = join(folder, "other");
  copyFileSync(capture, other);
  const text = readFileSync(other, "utf8").replaceAll("lab-branch", "new-branch");
  writeFileSync(other, text);
  renameSync(other, file);
  tailer.poll(sink);
  assert.deepEqual(faults(sink), ["rewritten"]);
  writeFileSync(file, text.replaceAll("1", "2"));
  tailer.poll(sink);
  assert.deepEqual(faults(sink), ["rewritten", "rewritten"]);
});

test("a file that went away is reported once, and read anew when it is back", (context) => {
  const { file, open, sink } = setUp(context);
  let tailer = open();
  tailer.poll(sink);
  rmSync(file);
  tailer.poll(sink);
  tailer = open(tailer.state());
  tailer.poll(sink);
  assert.deepEqual(faults(sink), ["deleted"]);
  writeFileSync(file, bytes);
  assert.equal(tailer.poll(sink).parsed, 1);
});

test("a file that vanishes or cannot be read is reported, and loses no other file", (context) => {
  const { file, sink } = setUp(context);
  const files: FoundFile[] = [
    { path: join(file, "nowhere"), bytes: 1, modified: 0 },
    { path: tmpdir(), bytes: 1, modified: 0 },
    { path: file, bytes: 1, modified: 0 },
  ];
  const report = new Tailer({ files: () => files }).poll(sink);
  assert.equal(report.parsed, 1);
  assert.deepEqual(
    report.failed.map(({ path }) => path),
    [tmpdir()],
  );
});
