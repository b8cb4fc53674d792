import type { SessionItem, TraceItem } from "@orphus/agent-trace/item";

/**
 * The item without what the agent said: identity, outcome and amounts stay, so that a repeat is recognised and a later
 * revision counts its difference, while no content is stored.
 */
export const skeleton = (item: TraceItem): TraceItem => {
  if (item.type === "tool_call") return { ...item, summary: "", targets: [], outside: [] };
  if (item.type === "mark") {
    const { note: _note, novelty: _novelty, ...rest } = item;
    return rest;
  }
  if (item.type === "result") {
    const { text: _text, ...rest } = item;
    return rest;
  }
  return item.type === "session" ? sessionSkeleton(item) : item;
};

/** A session without its title and place. */
export const sessionSkeleton = (item: SessionItem): SessionItem => {
  const { title: _title, cwd: _cwd, gitBranch: _branch, ...rest } = item;
  return rest;
};
