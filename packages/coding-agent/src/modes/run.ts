import type { AgentSession } from "../agent/session.ts";
import type { RunResult } from "../result.ts";
import { type EndingSignal, exitCodeOf } from "./outcome.ts";

/** Works on one prompt; SIGINT and SIGTERM end it in an orderly way. Returns the result and the exit code. */
export const runOnce = async (
  session: AgentSession,
  prompt: string,
): Promise<{ result: RunResult; exitCode: number }> => {
  let ended: EndingSignal | undefined;
  const unsubscribe = (["SIGINT", "SIGTERM"] as const).map((signal) =>
    session.capabilities.process.onSignal(signal, () => {
      ended ??= signal;
      session.abort(`interrupted by ${signal}`);
    }),
  );
  try {
    const result = await session.prompt(prompt);
    return { result, exitCode: exitCodeOf(result, ended) };
  } finally {
    for (const stop of unsubscribe) stop();
  }
};
