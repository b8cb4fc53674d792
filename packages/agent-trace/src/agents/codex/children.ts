import type { Timestamp } from "../../item.ts";
import { object, string } from "../../jsonline.ts";
import type { JsonValue, ReadSink } from "../../reader.ts";
import type { Thread } from "./thread.ts";

const running = new Set(["pending_init", "running", "not_found"]);

/** Marks the sub-agents that `states` (thread id to state) says are done. */
export const childEnds = (
  thread: Thread,
  states: JsonValue | undefined,
  at: Timestamp | undefined,
  sink: ReadSink,
): void => {
  for (const [id, state] of Object.entries(object(states) ?? {})) {
    // A name; or an object with the name as its key, or under `status`.
    const name = string(state) ?? string(object(state)?.["status"]) ?? Object.keys(object(state) ?? {})[0];
    if (name === undefined || running.has(name) || !thread.turns.childEnded(id)) continue;
    thread.session.mark("subagent_end", id, at, { note: name }, sink);
  }
};
