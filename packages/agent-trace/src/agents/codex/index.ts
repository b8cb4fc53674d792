import type { Agent } from "../../agent.ts";
import { isRollout, locateCodex } from "./locate.ts";
import { execReader, isExecLine } from "./stream.ts";
import { isRolloutHead, rolloutReader } from "./transcript.ts";

/** Codex: `codex exec --json`, and its rollouts. */
export const codex: Agent = {
  name: "codex",
  stream: { format: "codex-exec", detect: isExecLine, reader: execReader },
  transcript: {
    kind: "jsonl",
    locate: locateCodex,
    isSessionFile: isRollout,
    detect: isRolloutHead,
    reader: rolloutReader,
  },
  // The stream has no times, no model and no durable ids. It numbers its results anew in each run of one thread, where
  // the rollout names each turn; and it states a resumed thread's whole total as the last turn's.
  settles: {
    session: "transcript",
    tool_call: "transcript",
    mark: "transcript",
    usage: "transcript",
    result: "transcript",
  },
  // `item_0` against the model's call id: no key is common.
  sharedKeys: [],
  idPaths: [
    "thread_id",
    "item.id",
    "item.sender_thread_id",
    "item.receiver_thread_ids.*",
    "payload.id",
    "payload.session_id",
    "payload.parent_thread_id",
    "payload.forked_from_id",
    "payload.source.subagent.thread_spawn.parent_thread_id",
    "payload.call_id",
    "payload.response_id",
    "payload.turn_id",
    "payload.root_turn_id",
    "payload.thread_id",
    "payload.item.id",
    "payload.item.sender_thread_id",
    "payload.item.receiver_thread_ids.*",
    "id",
    "call_id",
  ],
};
