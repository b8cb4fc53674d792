import { resolve } from "node:path";
import { agentKinds, kindCalled } from "../../kinds/registry.ts";
import { ask } from "../ask.ts";
import type { Context } from "../context.ts";
import { followRun } from "../follow.ts";
import { settle } from "../settle.ts";
import { UsageError } from "../usage.ts";

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
    const names = agentKinds.map(({ name }) => name).join(", ");
    throw new UsageError("unknown_kind", `"${options.kind}" is no agent to run.`, {
      hint: `nothing was started; name one of these first, then the prompt: ${names}`,
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
