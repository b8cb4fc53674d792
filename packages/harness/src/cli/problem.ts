import { HarnessError } from "../base/errors.ts";
import { maskText } from "../base/mask.ts";
import { DaemonError } from "../client/index.ts";
import type { ErrorShape } from "../protocol/methods.ts";
import type { Output } from "./context.ts";
import { writeJson } from "./output.ts";
import { styled } from "./style.ts";

/** Any failure as the shape that `--json` prints, masked: it may quote a configuration, an argument or an agent. */
export const shapeOf = (error: unknown): ErrorShape => {
  if (error instanceof HarnessError || error instanceof DaemonError) {
    const { code, message, hint } = error;
    return {
      error: { code, message: maskText(message), ...(hint !== undefined && { hint: maskText(hint) }) },
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { error: { code: "internal", message: maskText(message) } };
};

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

/** Both forms of a failure: the object on stdout under `--json`, the words on stderr otherwise. */
export const fail = (outputs: { out: Output; err: Output; json: boolean }, error: unknown): void => {
  const shape = shapeOf(error);
  if (outputs.json) writeJson(outputs.out, shape);
  else showProblem(outputs.err, shape);
};
