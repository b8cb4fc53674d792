import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../jsonline.ts";
import type { LineReader } from "../../reader.ts";
import { ofType, plainOptions, readText } from "../testing/reading.ts";
import { streamReader } from "./stream.ts";
import { transcriptReader } from "./transcript.ts";

test("a usage limit's mark says when it ends, in the words of 1.x and 2.x, in a file and on stdout", () => {
  const said = (text: string): JsonObject => ({
    type: "assistant",
    session_id: "s1",
    sessionId: "s1",
    isSidechain: false,
    uuid: "u1",
    timestamp: "2026-07-01T10:00:00.000Z",
    isApiErrorMessage: true,
    is_api_error_message: true,
    error: "rate_limit",
    message: { model: "<synthetic>", content: [{ type: "text", text }] },
  });
  const resets = (make: LineReader, ...records: JsonObject[]): (string | undefined)[] =>
    ofType(readText(make, records.map((record) => JSON.stringify(record)).join("\n")).items, "mark").flatMap(
      ({ errorKind, resetAt }) => (errorKind === "usage_limit" ? [resetAt] : []),
    );
  const file = (): LineReader => transcriptReader(plainOptions("/x/s1.jsonl"));
  assert.deepEqual(resets(file(), said("Claude AI usage limit reached|1762952400")), [
    "2025-11-12T13:00:00.000Z",
  ]);
  assert.deepEqual(resets(file(), said("You've hit your limit · resets 3pm (Europe/Berlin)")), [
    "2026-07-01T13:00:00.000Z",
  ]);
  const { timestamp: _none, ...untimed } = said("You've hit your limit · resets 3pm (Europe/Berlin)");
  const limit: JsonObject = {
    type: "rate_limit_event",
    session_id: "s1",
    rate_limit_info: { status: "rejected", resetsAt: 1_782_910_800, rateLimitType: "five_hour" },
  };
  assert.deepEqual(resets(streamReader({}), limit, untimed), ["2026-07-01T13:00:00.000Z"]);
  assert.deepEqual(resets(streamReader({}), untimed), [undefined]);
});
