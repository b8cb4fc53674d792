import type { RunResult } from "../result.ts";

/** Exit codes that a shell gives a program ended by the signal. */
export const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export type EndingSignal = keyof typeof SIGNAL_CODES;

/** The exit code of a run, the same in every mode. */
export const exitCodeOf = (result: RunResult, signal: EndingSignal | undefined): number => {
  if (signal !== undefined) return SIGNAL_CODES[signal];
  return result.isError ? 1 : 0;
};
