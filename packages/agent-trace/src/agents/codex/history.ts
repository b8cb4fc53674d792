import type { Timestamp } from "../../item.ts";
import { number, object, string, text, type JsonObject } from "../../jsonline.ts";
import type { JsonValue } from "../../reader.ts";
import { madeAt, millis } from "./ids.ts";

/** A replay is written in one go; what comes later than this after the head is the thread's own. */
const burstMs = 1000;

/** Events that the agent itself raises at the beginning of a turn of its own. */
const turnHeads = new Set(["task_started", "turn_started", "turn_context"]);

/**
 * Tells a thread's own records from the history of another thread that it opens with. A forked or spawned thread may
 * begin with a replay of its parent's records under new times, or with nothing, by version; no flag tells which. What
 * tells is the order of the records: another thread's head, or a turn older than the thread itself, is history, and a turn
 * that is younger ends it. (Ids of threads and turns are UUIDs of version 7: they say when they were made.) Without such
 * ids, history is what was written in one go with the head.
 */
export class History {
  #phase: "own" | "undecided" | "history";
  /** Whether the turns' ids tell their age: then they decide, and the clock does not. */
  #aged = false;
  readonly #threadAt: number | undefined;
  readonly #headAt: number | undefined;

  private constructor(
    phase: "own" | "undecided" | "history",
    threadAt: number | undefined,
    headAt: number | undefined,
  ) {
    this.#phase = phase;
    this.#threadAt = threadAt;
    this.#headAt = headAt;
  }

  /** `derived`: the head names a thread that this one was forked or spawned from. */
  static after(threadId: string, headAt: Timestamp | undefined, derived: boolean): History {
    return new History(derived ? "undecided" : "own", madeAt(threadId), millis(headAt));
  }

  static from(state: JsonValue | undefined): History {
    const saved = object(state);
    const phase = string(saved?.["phase"]);
    const history = new History(
      phase === "undecided" || phase === "history" ? phase : "own",
      number(saved?.["threadAt"]),
      number(saved?.["headAt"]),
    );
    history.#aged = saved?.["aged"] === true;
    return history;
  }

  /** Another thread's head follows the thread's own: its records come next. */
  foreignHead(): void {
    this.#phase = "history";
  }

  /** Whether the record belongs to the history of another thread. */
  holds(kind: string, payload: JsonObject, at: Timestamp | undefined): boolean {
    if (this.#phase === "own") return false;
    const turnAt = turnHeads.has(kind) ? madeAt(text(payload["turn_id"])) : undefined;
    if (turnAt !== undefined && this.#threadAt !== undefined) {
      this.#aged = true;
      this.#phase = turnAt >= this.#threadAt ? "own" : "history";
    } else if (!this.#aged && this.#afterBurst(at)) this.#phase = "own";
    else if (isAnswer(kind, payload)) this.#phase = "history";
    return this.#phase === "history";
  }

  #afterBurst(at: Timestamp | undefined): boolean {
    const ms = millis(at);
    return ms !== undefined && this.#headAt !== undefined && ms > this.#headAt + burstMs;
  }

  state(): JsonValue {
    return {
      phase: this.#phase,
      aged: this.#aged,
      ...(this.#threadAt === undefined ? {} : { threadAt: this.#threadAt }),
      ...(this.#headAt === undefined ? {} : { headAt: this.#headAt }),
    };
  }
}

/** Records that only a model's answer brings about: before the thread's first turn they can only be history. */
const isAnswer = (kind: string, payload: JsonObject): boolean =>
  /^(?:(?:function|custom_tool|local_shell|web_search)_call|agent_message|reasoning|task_complete)$/.test(
    kind,
  ) ||
  (kind === "message" && payload["role"] === "assistant");
