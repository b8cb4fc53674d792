import type { ClockCapability } from "../../capabilities/types.ts";
import type { RandomBytes } from "../../ids.ts";
import { parseJson } from "../../json.ts";
import type { JsonValue } from "../../message.ts";
import { customProvider } from "../catalog.ts";
import type { ModelProvider, ModelTransport } from "../types.ts";
import { renderResponse } from "./response.ts";
import type { ScriptedModel, ScriptedTurn } from "./script.ts";

/** Defaults of a script that does not describe its model. */
export const SCRIPTED_PROVIDER = "scripted";
export const SCRIPTED_MODEL_ID = "scripted-1";
const API = "anthropic-messages";
/** Resolves nowhere; the transport answers before anything is looked up. */
const BASE_URL = "http://scripted.invalid";

/**
 * A model that answers from a script. It is the real adapter of the Messages API with another transport: payload hooks,
 * recording and parsing are those of a live provider.
 */
export interface ScriptedProvider extends ModelProvider {
  readonly transport: ModelTransport;
  /** Bodies of the requests so far, parsed. */
  readonly payloads: readonly JsonValue[];
  /** Turns that were not asked for yet. */
  readonly remaining: number;
}

export const createScriptedProvider = (
  script: readonly ScriptedTurn[],
  world: { clock: ClockCapability; random: RandomBytes },
  { id = SCRIPTED_MODEL_ID, provider = SCRIPTED_PROVIDER, cost, ...model }: ScriptedModel = {},
): ScriptedProvider => {
  const bodies: string[] = [];
  const turns = [...script];

  const transport: ModelTransport = async (_input, init = {}) => {
    bodies.push(await new Response(init.body).text());
    const turn = turns.shift() ?? {};
    if (turn.delayMs !== undefined) await world.clock.sleep(turn.delayMs, init.signal ?? undefined);
    if (turn.stopReason === "aborted")
      throw new DOMException(turn.error ?? "This operation was aborted", "AbortError");
    if (turn.status === 0)
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error(turn.error ?? "connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
      });
    return renderResponse(turn, id, world.random);
  };

  const { name, contextWindow, maxTokens } = model;
  const described = {
    id,
    ...(name === undefined ? {} : { name }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(cost === undefined ? {} : { prices: cost }),
  };
  const real = customProvider(provider, { api: API, baseUrl: BASE_URL, models: [described] }, id, "none");
  return {
    ...real,
    transport,
    get payloads() {
      return bodies.map((body) => parseJson(body) ?? null);
    },
    get remaining() {
      return turns.length;
    },
  };
};
