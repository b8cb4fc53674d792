import { type AgentSessionOptions, createAgentSession } from "../agent/create.ts";
import type { AgentSession } from "../agent/session.ts";
import { createFakeCapabilities } from "../capabilities/fake/index.ts";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { createScriptedProvider, type ScriptedProvider } from "../provider/scripted/provider.ts";
import type { ScriptedModel, ScriptedTurn } from "../provider/scripted/script.ts";
import { auditRecords, requestRecords, responseRecords } from "../record/entries.ts";
import type { ProviderRequestRecord, ProviderResponseRecord, ToolAuditRecord } from "../record/types.ts";
import type { SessionEntry } from "../session/entry.ts";

export interface ReplayOptions extends Pick<
  AgentSessionOptions,
  | "customTools"
  | "extensionFactories"
  | "settings"
  | "policy"
  | "approver"
  | "newRequestId"
  | "onToolStage"
  | "session"
> {
  /** What the model answers, one turn a request. Beyond it, answers are empty. */
  script?: readonly ScriptedTurn[];
  /** Names of the tools that are on. Default: none. */
  tools?: readonly string[];
  /** Parts of the world in place of the fake ones. */
  capabilities?: Partial<HarnessCapabilities>;
  /** What the scripted model says of itself. */
  model?: ScriptedModel;
}

export interface ReplayRuntime {
  readonly session: AgentSession;
  readonly capabilities: HarnessCapabilities;
  readonly provider: ScriptedProvider;
  entries(): readonly SessionEntry[];
  providerRequests(): ProviderRequestRecord[];
  providerResponses(): ProviderResponseRecord[];
  toolAudits(): ToolAuditRecord[];
  /** Lets go of the session; nothing of it stays anywhere. */
  dispose(): void;
}

/**
 * Boots the production composition on a fake world with a scripted model. Ids and times come from the fakes, so that two
 * runs of one script are equal to the byte; retries do not wait unless `settings` say so.
 */
export const createReplayRuntime = async (options: ReplayOptions = {}): Promise<ReplayRuntime> => {
  const { script = [], tools = [], capabilities: overrides = {}, model, settings, ...rest } = options;
  const capabilities = createFakeCapabilities(overrides);
  const { clock, process } = capabilities;
  const provider = createScriptedProvider(script, { clock, random: process.randomBytes }, model);
  const { session } = await createAgentSession({
    ...rest,
    keepBodies: true,
    capabilities,
    tools,
    model: provider,
    transport: provider.transport,
    settings: { ...settings, retry: { baseDelayMs: 0, ...settings?.retry } },
  });
  return {
    session,
    capabilities,
    provider,
    entries: () => session.entries,
    providerRequests: () => requestRecords(session.entries),
    providerResponses: () => responseRecords(session.entries),
    toolAudits: () => auditRecords(session.entries),
    dispose() {
      // Nothing outside memory is held; what still runs is told to end.
      session.abort("the replay was disposed of");
    },
  };
};
