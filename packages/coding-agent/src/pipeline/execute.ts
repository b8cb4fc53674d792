import type { ClockCapability } from "../capabilities/types.ts";
import type { ToolOutcome } from "../message.ts";
import { type ToolContext, ToolError, type ToolResult, textResult } from "../tools/tool.ts";
import type { PreparedCall } from "./call.ts";

export interface Execution {
  result: ToolResult;
  outcome: ToolOutcome;
  durationMs: number;
}

const outcomeOf = (result: ToolResult): ToolOutcome =>
  result.outcome ?? (result.isError === true ? "error" : "ok");

/** How long a tool may take to end by itself once its run was ended. */
const GRACE_MS = 5_000;

/** A tool's work, given up on when the run was ended and the tool has had its time to say what it had done. */
const unlessEnded = async (
  work: Promise<ToolResult>,
  signal: AbortSignal,
  clock: ClockCapability,
): Promise<ToolResult> => {
  const settled = new AbortController();
  const gaveUp = Promise.withResolvers<never>();
  const end = (): void => {
    clock.sleep(GRACE_MS, settled.signal).then(
      () => gaveUp.reject(new Error("Aborted; the tool did not end by itself")),
      () => undefined, // It did end.
    );
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true, signal: settled.signal });
  try {
    return await Promise.race([work, gaveUp.promise]);
  } finally {
    settled.abort();
  }
};

/** Stage 7: the tool runs on exactly the approved arguments. Whatever it throws becomes a result. */
export const execute = async (
  { call, tool, arguments: args }: PreparedCall,
  signal: AbortSignal,
  onUpdate: (delta: string) => void,
  context: ToolContext,
): Promise<Execution> => {
  const { clock } = context.capabilities;
  const startedAt = clock.monotonicNow();
  const run = async (): Promise<ToolResult> => {
    try {
      const work = Promise.resolve(tool.execute(call.id, args, signal, onUpdate, context));
      return await unlessEnded(work, signal, clock);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const errorCode = error instanceof ToolError ? error.code : undefined;
      return {
        ...textResult(text),
        isError: true,
        ...(signal.aborted ? { outcome: "aborted" as const } : {}),
        ...(errorCode === undefined ? {} : { errorCode }),
      };
    }
  };
  const result = await run();
  return { result, outcome: outcomeOf(result), durationMs: clock.monotonicNow() - startedAt };
};
