import type { ClockCapability } from "../capabilities/types.ts";
import { type MaskText, redactValue } from "../record/redact.ts";
import { TOOL_AUDIT_ENTRY, type ToolAuditRecord } from "../record/types.ts";
import type { SessionLog } from "../session/log.ts";
import type { FinishedCall } from "./call.ts";

const auditOf = (
  { call, arguments: args, mutatedPaths, stop }: FinishedCall,
  timestamp: number,
  mask: MaskText,
): ToolAuditRecord => ({
  toolCallId: call.id,
  toolName: mask(call.name),
  outcome:
    stop === undefined ? "executed" : stop.outcome === "invalid_arguments" ? "invalid_arguments" : "blocked",
  arguments: redactValue(args, mask).value,
  mutatedPaths,
  ...(stop === undefined ? {} : { reason: mask(stop.reason), decider: stop.decider }),
  timestamp,
});

/**
 * Stage 10: the audit record, where there is more to say than the transcript does. A record that cannot be written does
 * not fail the call: what observes must not take down what it observes.
 */
export const observe = async (
  finished: FinishedCall,
  world: { log: SessionLog; clock: ClockCapability; mask: MaskText },
): Promise<void> => {
  if (finished.stop === undefined && finished.mutatedPaths.length === 0) return;
  try {
    const data = auditOf(finished, world.clock.now(), world.mask);
    await world.log.append({ type: "custom", customType: TOOL_AUDIT_ENTRY, data });
  } catch {
    // See above.
  }
};
