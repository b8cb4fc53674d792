import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Agent, TranscriptOptions } from "../../agent.ts";
import type { JsonValue, LineReader } from "../../reader.ts";
import { captures, type Capture } from "./captures.ts";
import { compareSources, type Pairing, type SourceDifferences } from "./compare.ts";
import { checkGoldenJson, checkGoldenLines } from "./golden.ts";
import { checkMutations } from "./mutations.ts";
import { plainOptions, readResumed, readText, settled } from "./reading.ts";

/** Tests that every agent with a stream and JSONL transcripts passes on its captures. */
export const captureTests = (
  agent: Agent,
  folder: string,
  pairing: Pairing,
  options: (path: string) => TranscriptOptions = (path) => plainOptions(path),
): void => {
  const all = captures(join(folder, "fixtures"));
  const golden = (capture: Capture, what: string): string =>
    join(folder, "golden", `${capture.name}.${what}.jsonl`);
  const transcript = (path: string, state?: JsonValue): LineReader => {
    assert.equal(agent.transcript?.kind, "jsonl");
    return agent.transcript.reader({ ...options(path), ...(state === undefined ? {} : { state }) });
  };
  const stream = (state?: JsonValue): LineReader => {
    assert.ok(agent.stream);
    return agent.stream.reader({
      home: "/home/dev",
      cwd: "/home/dev/lab/proj",
      ...(state === undefined ? {} : { state }),
    });
  };

  for (const capture of all) {
    test(`${agent.name}: the capture ${capture.name} reads as its golden files say`, () => {
      for (const [index, text] of capture.streams.entries()) {
        const what = index === 0 ? "stream" : `stream-${index + 1}`;
        checkGoldenLines(golden(capture, what), settled(readText(stream(), text).items));
      }
      const items = capture.transcripts.flatMap(({ path, text }) =>
        settled(readText(transcript(path), text).items),
      );
      checkGoldenLines(golden(capture, "transcript"), items);
    });

    test(`${agent.name}: a reader made from a saved state reads ${capture.name} on as the first one would have`, () => {
      for (const text of capture.streams)
        assert.deepEqual(readResumed(stream, text), readText(stream(), text));
      for (const { path, text } of capture.transcripts) {
        const make = (state: JsonValue | undefined): LineReader => transcript(path, state);
        assert.deepEqual(readResumed(make, text), readText(make(undefined), text));
      }
    });
  }

  test(`${agent.name}: stream and transcript agree on what both carry`, () => {
    const found: Record<string, SourceDifferences> = {};
    for (const capture of all) {
      const [text] = capture.streams;
      // A second run goes on with the same session: its stream is one part of it.
      if (text === undefined || capture.streams.length > 1 || capture.transcripts.length === 0) continue;
      const kept = capture.transcripts.flatMap(
        ({ path, text: lines }) => readText(transcript(path), lines).items,
      );
      compareSources(found, readText(stream(), text).items, kept, pairing);
    }
    checkGoldenJson(join(folder, "golden", "differences.json"), found);
  });

  test(`${agent.name}: its captures are told from other agents' lines`, () => {
    assert.ok(agent.stream);
    assert.equal(agent.transcript?.kind, "jsonl");
    for (const capture of all) {
      for (const text of capture.streams)
        assert.ok(
          text
            .split("\n")
            .slice(0, 3)
            .some((line) => agent.stream?.detect(line)),
          capture.name,
        );
      for (const { path, text } of capture.transcripts) {
        assert.ok(agent.transcript.isSessionFile(path), path);
        assert.ok(agent.transcript.detect(text.split("\n").slice(0, 10)), path);
      }
    }
    for (const line of [
      "",
      "hello",
      "{}",
      "[]",
      '{"type":"system","subtype":"init","session_id":"x","cwd":"/"}',
    ]) {
      assert.equal(agent.stream.detect(line), false, line);
      assert.equal(agent.transcript.detect([line]), false, line);
    }
  });

  test(`${agent.name}: no mutation of a capture makes a reader throw or grow`, () => {
    checkMutations(
      () => stream(),
      all.flatMap(({ streams }) => streams),
      120,
    );
    const path = all[0]?.transcripts[0]?.path ?? "/x.jsonl";
    checkMutations(
      () => transcript(path),
      all.flatMap(({ transcripts }) => transcripts.map(({ text }) => text)),
      120,
    );
  });
};
