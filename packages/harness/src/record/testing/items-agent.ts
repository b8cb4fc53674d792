import type { LineReader } from "@orphus/agent-trace";
import type { ResultItem, SessionItem, ToolCallItem, TraceItem, UsageItem } from "@orphus/agent-trace/item";
import type { StreamAgent } from "../stream-agent.ts";

/**
 * An agent whose stream is records already: each line is a JSON array of items. `finish` gives nothing. What is no such
 * line is unread. It lets a test say exactly which items a run has.
 */
export const itemsAgent: StreamAgent = {
  idPaths: ["*.key", "*.sessionId"],
  reader: (): LineReader => ({
    line(text, sink) {
      let items: unknown;
      try {
        items = JSON.parse(text);
      } catch {
        items = undefined;
      }
      // A marker of the intake's own.
      if (text.startsWith('{"harness":')) return;
      if (!Array.isArray(items)) {
        sink.unread?.({ reason: "not_json", text, bytes: Buffer.byteLength(text) });
        return;
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test's own lines
      for (const item of items as TraceItem[]) sink.item(item);
    },
    finish: () => {},
    state: () => null,
  }),
};

export const itemLine = (...items: readonly TraceItem[]): string => `${JSON.stringify(items)}\n`;

/** A successful call of session `s1`. */
export const call = (number: number, fields: Partial<ToolCallItem> = {}): ToolCallItem => ({
  v: 1,
  type: "tool_call",
  sessionId: "s1",
  key: `call-${number}`,
  rev: 0,
  seq: number,
  tool: "Bash",
  action: "exec",
  targets: [],
  outside: [],
  summary: `step ${number}`,
  outcome: "ok",
  ...fields,
});

/** One response's usage, exact and without a cost, in session `s1`. */
export const usage = (key: string, fields: Partial<UsageItem> = {}): UsageItem => ({
  v: 1,
  type: "usage",
  sessionId: "s1",
  key,
  rev: 0,
  seq: 0,
  turn: 1,
  input: 100,
  output: 10,
  costSource: "unknown",
  exact: true,
  covers: "response",
  ...fields,
});

/** A successful result of session `s1`, without claims. */
export const result = (key: string, fields: Partial<ResultItem> = {}): ResultItem => ({
  v: 1,
  type: "result",
  sessionId: "s1",
  key,
  rev: 0,
  seq: 1_000_000,
  isError: false,
  claims: [],
  ...fields,
});

/** First sight of session `s1`. */
export const session = (fields: Partial<SessionItem> = {}): SessionItem => ({
  v: 1,
  type: "session",
  sessionId: "s1",
  key: "-",
  rev: 0,
  seq: 0,
  agent: "claude-code",
  ...fields,
});
