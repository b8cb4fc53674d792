import { HarnessError } from "../base/errors.ts";
import type { HarnessDefinition } from "../config/definition.ts";
import { whatIsSupported } from "../config/refusal.ts";
import { kindCalled } from "../kinds/registry.ts";
import type { ScratchRequest } from "../protocol/methods.ts";

const HOUR_MS = 3_600_000;

/** The definition that `harness run` stands for: a one-shot with the defaults of `[harness.<name>]`. */
export const scratchDefinition = (request: ScratchRequest, name: string): HarnessDefinition => {
  const kind = kindCalled(request.kind);
  if (kind === undefined) {
    throw new HarnessError("unknown_kind", `"${request.kind}" is no agent to run.\n${whatIsSupported()}`, {
      hint: "nothing was started; name one of the agents",
    });
  }
  return {
    name,
    kind: kind.name,
    prompt: { text: request.prompt },
    args: [],
    argv: [],
    workdir: request.workdir,
    envFiles: [],
    ...(request.model !== undefined && { model: request.model }),
    autoAccept: request.autoAccept ?? false,
    maxTurns: 0,
    timeoutMs: HOUR_MS,
    onOverlap: "skip",
    keepRuns: 20,
    recordTrace: true,
    enabled: false,
    restart: "no",
    restartDelayMs: 0,
    catchUp: false,
    maxWindows: 0,
    webhooks: [],
  };
};
