import { SourceItems, type SessionItems } from "../../items.ts";
import type { Timestamp } from "../../item.ts";
import { string, type JsonObject } from "../../jsonline.ts";
import { present } from "../../present.ts";
import type { ReaderOptions, ReadSink } from "../../reader.ts";
import { CodexCalls, type CallSource } from "./calls.ts";
import { Turns } from "./turns.ts";
import { RunningTotal, tokenCounts, type CodexTokens } from "./usage.ts";

/** What the record kinds' readers work on: one thread. */
export class Thread {
  readonly items: SourceItems;
  readonly calls: CodexCalls;
  readonly turns: Turns;
  readonly total: RunningTotal;
  readonly home: string | undefined;
  readonly fallbackCwd: string | undefined;
  session: SessionItems;
  model: string | undefined;
  provider: string | undefined;
  /** Whether the thread came from another one, whose total it may go on with. */
  derived: boolean;

  constructor(sessionId: string, options: ReaderOptions, state: JsonObject | undefined) {
    this.items = new SourceItems("codex", state?.["items"]);
    this.calls = new CodexCalls(this.items, state?.["calls"]);
    this.turns = new Turns(state?.["turns"]);
    this.total = new RunningTotal(state?.["total"]);
    this.home = options.home;
    this.fallbackCwd = options.cwd;
    this.session = this.items.session(sessionId);
    this.model = string(state?.["model"]);
    this.provider = string(state?.["provider"]);
    this.derived = state?.["derived"] === true;
  }

  get callSource(): CallSource {
    const cwd = this.session.facts.cwd ?? this.fallbackCwd;
    return { session: this.session, cwd, home: this.home, model: this.model, provider: this.provider };
  }

  /** A response's spending: by its own id where it has one, else by its number in the turn. */
  spend(
    total: CodexTokens | undefined,
    last: CodexTokens | undefined,
    responseId: string | undefined,
    at: Timestamp | undefined,
    sink: ReadSink,
  ): void {
    const amount = this.total.advance(total, last, this.derived);
    if (amount === undefined) return;
    if (this.model !== undefined) {
      this.session.learn({ models: [present({ model: this.model, provider: this.provider })] }, sink);
    }
    const key = responseId ?? this.turns.nextResponse(this.session.turn);
    this.calls.asked(this.callSource, key);
    sink.item({
      ...this.session.head("usage", key, this.items.nextSeq(), at),
      type: "usage",
      key,
      ...present({ model: this.model, provider: this.provider }),
      ...tokenCounts(amount),
      costSource: "unknown",
      exact: true,
      covers: "response",
    });
  }

  state(): JsonObject {
    return {
      items: this.items.state(),
      calls: this.calls.state(),
      turns: this.turns.state(),
      total: this.total.state(),
      derived: this.derived,
      ...present({ model: this.model, provider: this.provider }),
    };
  }
}
