import type { AgentName } from "../item.ts";
import { agents } from "../agents/registry.ts";
import { number, object, string, type JsonObject } from "../jsonline.ts";
import type { JsonValue } from "../reader.ts";

/** How far one file was read. JSON, and bounded: it is committed together with the items it stands for. */
export interface Cursor {
  agent: AgentName;
  /** Offset behind the last whole line that was read; 0 for a database. */
  position: number;
  /** The file's own number and a hash over parts before `position`: tells another file under the same name. */
  anchor: string;
  /** What the file looked like, so that an unchanged one is not opened. */
  stamp: string;
  reader: JsonValue;
  mask: JsonValue;
  /** The file is gone, and that was told. */
  deleted: boolean;
}

export const cursorState = (cursor: Cursor): JsonObject => ({ ...cursor });

export const savedCursor = (saved: JsonValue | undefined): Cursor | undefined => {
  const state = object(saved);
  const agent = agents.find(({ name }) => name === string(state?.["agent"]));
  if (state === undefined || agent === undefined) return undefined;
  return {
    agent: agent.name,
    position: number(state["position"]) ?? 0,
    anchor: string(state["anchor"]) ?? "",
    stamp: string(state["stamp"]) ?? "",
    reader: state["reader"] ?? null,
    mask: state["mask"] ?? null,
    deleted: state["deleted"] === true,
  };
};
