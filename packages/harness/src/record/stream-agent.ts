import { agentNamed, type LineReader, type ReaderOptions } from "@orphus/agent-trace";
import type { AgentName } from "@orphus/agent-trace/item";
import { HarnessError } from "../base/errors.ts";

/** How one agent's stream is read. */
export interface StreamAgent {
  /** Where ids stand in its lines. */
  idPaths: readonly string[];
  reader(options: ReaderOptions): LineReader;
}

/** As agent-trace reads it. Throws `unknown_kind` for an agent without a structured stream. */
export const streamAgent = (name: AgentName): StreamAgent => {
  const agent = agentNamed(name);
  const stream = agent?.stream;
  if (agent === undefined || stream === undefined) {
    throw new HarnessError("unknown_kind", `${name} has no structured output that can be recorded.`);
  }
  return { idPaths: agent.idPaths, reader: (options) => stream.reader(options) };
};
