import { HarnessError } from "../base/errors.ts";
import { maskText } from "../base/mask.ts";
import { DaemonError } from "../client/index.ts";
import type { ErrorShape } from "../protocol/methods.ts";
import type { Output } from "./context.ts";
import { writeJson } from "./output.ts";
import { showProblem } from "./problem.ts";

/** Any failure as the shape that `--json` prints, masked: it may quote a configuration, an argument or an agent. */
const shapeOf = (error: unknown): ErrorShape => {
  if (error instanceof HarnessError || error instanceof DaemonError) {
    const { code, message, hint } = error;
    return {
      error: { code, message: maskText(message), ...(hint !== undefined && { hint: maskText(hint) }) },
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { error: { code: "internal", message: maskText(message) } };
};

/** Both forms of a failure: the object on stdout under `--json`, the words on stderr otherwise. */
export const fail = (outputs: { out: Output; err: Output; json: boolean }, error: unknown): void => {
  const shape = shapeOf(error);
  if (outputs.json) writeJson(outputs.out, shape);
  else showProblem(outputs.err, shape);
};
