import { agentNamed } from "@orphus/agent-trace";
import type { Kind } from "./kind.ts";

/** Whether agent-trace reads the stream that the kind declares: without that its runs could not be recorded. */
export const isReadable = (kind: Kind): boolean =>
  kind.stream !== undefined && agentNamed(kind.agent)?.stream?.format === kind.stream;
