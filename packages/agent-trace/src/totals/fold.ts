import type {
  AgentName,
  ErrorClass,
  MarkItem,
  ResultItem,
  SessionItem,
  ToolCallItem,
  TraceItem,
  UsageItem,
} from "../item.ts";

/** Everything known of one session, each item in its last revision. */
export interface SessionRecord {
  sessionId: string;
  /** Absent until the source has announced the session. */
  agent?: AgentName;
  session?: SessionItem;
  calls: Map<string, ToolCallItem>;
  marks: Map<string, MarkItem>;
  usages: Map<string, UsageItem>;
  results: Map<string, ResultItem>;
  /** Responses that another session had already: copies of a fork or a resumed session. They are in `usages` no more. */
  duplicates: number;
  /** The file it was read from. */
  path?: string;
}

/**
 * Folds items into sessions. A response counts once, in the session that had it first: forks and resumed sessions repeat
 * what came before them.
 */
export class RecordFold {
  readonly #sessions = new Map<string, SessionRecord>();
  /** Response → the session that counts it. */
  readonly #counted = new Map<string, string>();

  add(item: TraceItem, path?: string): void {
    const record = this.#record(item.sessionId);
    if (path !== undefined) record.path ??= path;
    switch (item.type) {
      case "session":
        record.agent = item.agent;
        record.session = { ...record.session, ...item };
        return;
      case "tool_call":
        return replace(record.calls, item);
      case "mark":
        return replace(record.marks, item);
      case "result":
        return replace(record.results, item);
      case "usage":
        if (item.covers === "response" && !this.#counts(item)) record.duplicates += item.rev === 0 ? 1 : 0;
        else replace(record.usages, item);
    }
  }

  #record(sessionId: string): SessionRecord {
    let record = this.#sessions.get(sessionId);
    if (record === undefined) {
      record = {
        sessionId,
        calls: new Map(),
        marks: new Map(),
        usages: new Map(),
        results: new Map(),
        duplicates: 0,
      };
      this.#sessions.set(sessionId, record);
    }
    return record;
  }

  #counts(item: UsageItem): boolean {
    const owner = this.#counted.get(item.key) ?? item.sessionId;
    this.#counted.set(item.key, owner);
    return owner === item.sessionId;
  }

  get sessions(): SessionRecord[] {
    return [...this.#sessions.values()];
  }

  /** The session and the sub-agents below it. */
  family(sessionId: string): SessionRecord[] {
    const children = this.sessions.filter(({ session }) => session?.parentSessionId === sessionId);
    const own = this.#sessions.get(sessionId);
    return [
      ...(own === undefined ? [] : [own]),
      ...children.flatMap((child) => (child.sessionId === sessionId ? [] : this.family(child.sessionId))),
    ];
  }
}

const replace = <Item extends TraceItem>(items: Map<string, Item>, item: Item): void => {
  const known = items.get(item.key);
  if (known === undefined || item.rev > known.rev) items.set(item.key, item);
};

/** Failed calls and failed model requests by class. */
export const errorsOf = (record: SessionRecord): Partial<Record<ErrorClass, number>> => {
  const errors: Partial<Record<ErrorClass, number>> = {};
  const failed = [...record.calls.values()].filter(({ outcome }) => outcome === "error");
  const marks = [...record.marks.values()].filter(({ kind }) => kind === "api_error");
  for (const { errorClass = "other" } of [...failed, ...marks])
    errors[errorClass] = (errors[errorClass] ?? 0) + 1;
  return errors;
};
