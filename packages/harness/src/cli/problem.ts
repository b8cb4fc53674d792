import type { ErrorShape } from "../protocol/methods.ts";
import type { Output } from "./context.ts";
import { styled } from "./style.ts";

/** Says what went wrong and what to do next: marked on a terminal, with the program's name elsewhere. */
export const showProblem = (output: Output, { error }: ErrorShape): void => {
  const { message, hint } = error;
  if (!output.isTty) {
    output.write(`harness: error: ${message}\n`);
    if (hint !== undefined) output.write(`harness: hint: ${hint}\n`);
    return;
  }
  output.write(`${styled(output, "bad", "✗")} ${message.replaceAll("\n", "\n  ")}\n`);
  if (hint !== undefined) output.write(`${styled(output, "faint", `→ ${hint}`)}\n`);
};

/** A remark that changes nothing about the outcome. */
export const showWarning = (output: Output, message: string): void => {
  const mark = output.isTty ? styled(output, "warn", "⚠") : "harness: warning:";
  output.write(`${mark} ${message}\n`);
};
