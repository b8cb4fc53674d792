import { resolve } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { whatIsSupported } from "../../config/refusal.ts";
import { kindCalled } from "../../kinds/registry.ts";
import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { followRun } from "../follow.ts";
import { settle } from "../settle.ts";

export interface RunOptions {
  kind: string;
  prompt: string;
  workdir?: string;
  model?: string;
  autoAccept?: boolean;
  wait?: boolean;
  detach?: boolean;
}

/** A throw-away one-shot. Shows its record as it grows, unless told to wait in silence or not at all. */
export const run = async (context: Context, options: RunOptions): Promise<number> => {
  const kind = kindCalled(options.kind);
  if (kind === undefined) {
    throw new HarnessError("unknown_kind", `"${options.kind}" is no agent to run.\n${whatIsSupported()}`, {
      hint: "nothing was started; name one of the agents first, then the prompt",
    });
  }
  const wait = options.wait === true || (context.json && options.detach !== true);
  const row = await ask(context, (client) =>
    client.call("run", {
      kind: kind.name,
      prompt: options.prompt,
      workdir: resolve(context.cwd, options.workdir ?? "."),
      ...(options.model !== undefined && { model: options.model }),
      ...(options.autoAccept !== undefined && { autoAccept: options.autoAccept }),
      wait,
    }),
  );
  if (wait || options.detach === true) return settle(context, row);
  return followRun(context, row);
};
