import type { JsonObject } from "../message.ts";
import type { PreparedCall, Stop } from "./call.ts";

/** What a decision is made on: the very arguments that will run. */
export interface DecidedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly arguments: Readonly<JsonObject>;
}

export type PolicyDecision = { decision: "allow" } | { decision: "deny" | "ask"; reason?: string };

/** Rules over calls. Without one everything is allowed. */
export type ToolPolicy = (call: DecidedCall) => PolicyDecision | Promise<PolicyDecision>;

/** Asks the user. */
export type ToolApprover = (
  call: DecidedCall,
  reason: string | undefined,
) => Promise<{ approved: boolean; reason?: string }>;

const blocked = (reason: string, decider: Stop["decider"]): Stop => ({ outcome: "blocked", reason, decider });

const decide = async (
  call: DecidedCall,
  policy: ToolPolicy,
  approver: ToolApprover | undefined,
): Promise<Stop | undefined> => {
  const verdict = await policy(call);
  if (verdict.decision === "allow") return undefined;
  if (verdict.decision === "deny") return blocked(verdict.reason ?? "denied by policy", "policy");
  if (approver === undefined)
    return blocked(`${verdict.reason ?? "approval is needed"}, and nobody can be asked`, "approval");
  const { approved, reason } = await approver(call, verdict.reason);
  return approved ? undefined : blocked(reason ?? "not approved", "approval");
};

/** Stage 6: policy, and approval where the policy asks for it. A rule that throws has not said yes. */
export const approve = async (
  { call, arguments: args }: PreparedCall,
  policy: ToolPolicy | undefined,
  approver: ToolApprover | undefined,
): Promise<Stop | undefined> => {
  if (policy === undefined) return undefined;
  try {
    return await decide({ toolCallId: call.id, toolName: call.name, arguments: args }, policy, approver);
  } catch (error) {
    return blocked(error instanceof Error ? error.message : String(error), "policy");
  }
};
