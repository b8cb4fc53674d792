import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { ExtensionRunner } from "../extensions/runner.ts";
import type { JsonObject, ToolCall, ToolOutcome, ToolResultMessage } from "../message.ts";
import { diffPaths } from "../record/diff.ts";
import type { MaskText } from "../record/redact.ts";
import type { SessionLog } from "../session/log.ts";
import { textResult, type ToolDefinition, type ToolResult } from "../tools/tool.ts";
import { approve, type ToolApprover, type ToolPolicy } from "./approve.ts";
import {
  type FinishedCall,
  isStopped,
  type PreparedCall,
  type Stage,
  type Stop,
  type StoppedCall,
} from "./call.ts";
import { execute } from "./execute.ts";
import { finalize } from "./finalize.ts";
import { runCallHooks } from "./hooks.ts";
import { observe } from "./observe.ts";
import { resolveTool } from "./resolve.ts";
import { runResultHooks } from "./result-hooks.ts";
import { revalidate } from "./revalidate.ts";
import { snapshot } from "./snapshot.ts";
import { validateCall } from "./validate.ts";

export interface PipelineOptions {
  capabilities: HarnessCapabilities;
  extensions: ExtensionRunner;
  log: SessionLog;
  cwd: string;
  /** The tools that are on, by name, at the time of asking. */
  tools(): ReadonlyMap<string, ToolDefinition>;
  policy?: ToolPolicy;
  approver?: ToolApprover;
  /** Masks credentials of any shape, in records. */
  mask: MaskText;
  /** Masks values known to be secret, in results. */
  maskKnown: MaskText;
  /** Results that are given in place of running the tool, by the call's id. */
  recordedResult?: RecordedResults;
  /** Hears of each stage as a call enters it. */
  onStage?(stage: Stage, toolCallId: string): void;
}

/** What a call gave when it ran; undefined for a call that is not known. */
export type RecordedResults = (
  toolCallId: string,
) => { result: ToolResult; outcome: ToolOutcome } | undefined;

/** The way of a tool call from the model's words to the result that is kept. */
export interface ToolPipeline {
  /** Up to the approval. One call at a time, in the order of the model. */
  prepare(call: ToolCall): Promise<PreparedCall | StoppedCall>;
  /** From the execution on. Calls may overlap. */
  finish(
    prepared: PreparedCall | StoppedCall,
    signal: AbortSignal,
    onUpdate: (delta: string) => void,
  ): Promise<{ finished: FinishedCall; message: ToolResultMessage }>;
}

const stoppedText = ({ outcome, reason }: Stop, name: string): string => {
  if (outcome === "invalid_arguments") return `${name}: the arguments do not fit the schema: ${reason}`;
  return outcome === "blocked" ? `Blocked: ${reason}` : reason;
};

export const createToolPipeline = (options: PipelineOptions): ToolPipeline => {
  const { capabilities, extensions, cwd } = options;
  const enter = (stage: Stage, call: ToolCall): void => options.onStage?.(stage, call.id);

  const prepare = async (call: ToolCall): Promise<PreparedCall | StoppedCall> => {
    const stopped = (
      stop: Stop,
      args: JsonObject = call.arguments,
      mutatedPaths: string[] = [],
    ): StoppedCall => ({
      call,
      arguments: args,
      mutatedPaths,
      stop,
    });
    enter("resolve", call);
    const tool = resolveTool(call.name, options.tools());
    if ("reason" in tool) return stopped(tool);
    enter("validate", call);
    const validated = validateCall(tool, call);
    if (!("value" in validated)) return stopped(validated);

    enter("hooks", call);
    const live = validated.value;
    const before = structuredClone(live);
    const blockedByHook = await runCallHooks(extensions, call, live);
    enter("snapshot", call);
    const frozen = snapshot(live);
    if (blockedByHook !== undefined) return stopped(blockedByHook, frozen, diffPaths(before, frozen));
    enter("revalidate", call);
    const checked = revalidate(tool, frozen, live);
    if (!("value" in checked)) return stopped(checked, frozen, diffPaths(before, frozen));

    const mutatedPaths = diffPaths(before, checked.value);
    const prepared: PreparedCall = { call, tool, arguments: checked.value, mutatedPaths };
    enter("approve", call);
    const denied = await approve(prepared, options.policy, options.approver);
    return denied === undefined ? prepared : stopped(denied, checked.value, mutatedPaths);
  };

  const run = async (
    prepared: PreparedCall,
    signal: AbortSignal,
    onUpdate: (delta: string) => void,
  ): Promise<FinishedCall> => {
    const recorded = options.recordedResult?.(prepared.call.id);
    // What is on record has been through the result hooks already.
    if (recorded !== undefined) return { ...prepared, ...recorded };
    enter("execute", prepared.call);
    const executed = await execute(prepared, signal, onUpdate, { cwd, capabilities });
    enter("result_hooks", prepared.call);
    const { call, arguments: args, mutatedPaths } = prepared;
    return { call, arguments: args, mutatedPaths, ...(await runResultHooks(extensions, prepared, executed)) };
  };

  return {
    prepare,
    async finish(prepared, signal, onUpdate) {
      const finished: FinishedCall = isStopped(prepared)
        ? {
            ...prepared,
            result: textResult(stoppedText(prepared.stop, prepared.call.name)),
            outcome: prepared.stop.outcome,
          }
        : await run(prepared, signal, onUpdate);
      enter("finalize", finished.call);
      const message = finalize(finished, capabilities.clock.now(), options.maskKnown);
      enter("observe", finished.call);
      await observe(finished, { log: options.log, clock: capabilities.clock, mask: options.mask });
      return { finished, message };
    },
  };
};
