import { createDefaultCapabilities } from "../capabilities/node/index.ts";
import { createNodeTransport } from "../capabilities/node/transport.ts";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { SessionEvent } from "../events.ts";
import { createRegistry } from "../extensions/registry.ts";
import { createExtensionRunner, type ExtensionFactory } from "../extensions/runner.ts";
import { uuidV4 } from "../ids.ts";
import type { ToolApprover, ToolPolicy } from "../pipeline/approve.ts";
import type { Stage } from "../pipeline/call.ts";
import { createToolPipeline } from "../pipeline/pipeline.ts";
import { type ModelSelection, resolveModel } from "../provider/catalog.ts";
import type { ModelProvider, ModelTransport } from "../provider/types.ts";
import { openRedactor } from "../record/mask.ts";
import { createProviderRecorder, isAuditEnabled } from "../record/recorder.ts";
import { maskValues, secretValues } from "../record/secrets.ts";
import { ENV_PROVIDER_AUDIT } from "../record/types.ts";
import type { ThinkingLevel } from "../session/entry.ts";
import type { SessionLog } from "../session/log.ts";
import { isoTime } from "../time.ts";
import { BUILTIN_TOOLS } from "../tools/index.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import { openLog, type SessionPlace } from "./open-log.ts";
import { buildSystemPrompt } from "./prompt.ts";
import { type AgentSession, createSession } from "./session.ts";
import { type SettingsOverrides, withDefaults } from "./settings.ts";
import type { AgentWorld, NewEvent } from "./world.ts";

/** An extension with the name it is known by. */
export interface NamedExtension {
  name: string;
  factory: ExtensionFactory;
}

export interface AgentSessionOptions {
  /** The world. Default: the real one. */
  capabilities?: HarnessCapabilities;
  /** Absolute. Default: the process's own. */
  cwd?: string;
  /** Default: a new session in its working directory's folder. */
  session?: SessionPlace;
  /** The model, or which one to find in the catalog. Without it the session can be looked at, but not prompted. */
  model?: ModelProvider | ModelSelection;
  /** How requests reach the model. Default: the network. */
  transport?: ModelTransport;
  /** Names of the tools that are on. Default: all. */
  tools?: readonly string[];
  /** Tools beside the built-in ones; one of the same name takes a built-in's place. */
  customTools?: readonly ToolDefinition[];
  /** Run in this order. A factory without a name is known by its number. */
  extensionFactories?: readonly (ExtensionFactory | NamedExtension)[];
  policy?: ToolPolicy;
  approver?: ToolApprover;
  settings?: SettingsOverrides;
  thinkingLevel?: ThinkingLevel;
  /** In place of orphus's own. */
  systemPrompt?: string;
  /** Makes the ids of requests. Default: UUIDs from the process capability's random bytes. */
  newRequestId?: () => string;
  /**
   * Keeps the bodies of requests and responses in memory as well, so that the session's entries have them. Default: they
   * stand in the file alone.
   */
  keepBodies?: boolean;
  /** Hears of each stage of the tool pipeline as a call enters it. */
  onToolStage?: (stage: Stage, toolCallId: string) => void;
}

type Tools = () => ReadonlyMap<string, ToolDefinition>;

const collectTools = (options: AgentSessionOptions, registry: ReturnType<typeof createRegistry>): Tools => {
  const isOn =
    options.tools === undefined ? () => true : (name: string) => options.tools?.includes(name) === true;
  return () => {
    const all = [
      ...BUILTIN_TOOLS,
      ...[...registry.tools.values()].map(({ value }) => value),
      ...(options.customTools ?? []),
    ];
    return new Map(all.filter(({ name }) => isOn(name)).map((tool) => [tool.name, tool]));
  };
};

const checkToolNames = (wanted: readonly string[] | undefined, tools: ReturnType<Tools>): void => {
  const missing = wanted?.filter((name) => !tools.has(name)) ?? [];
  if (missing.length > 0) throw new Error(`No tool is named ${missing.join(", ")}.`);
};

/** Tells in the session which model answers from here on, where that is not known yet. */
const noteModel = async (
  log: SessionLog,
  provider: ModelProvider | undefined,
  thinkingLevel: ThinkingLevel,
): Promise<void> => {
  if (provider === undefined) return;
  const { provider: name, id } = provider.model;
  const last = log.branch().findLast((entry) => entry.type === "model_change");
  if (last?.provider !== name || last.modelId !== id)
    await log.append({ type: "model_change", provider: name, modelId: id });
  const level = log.branch().findLast((entry) => entry.type === "thinking_level_change");
  if (level?.thinkingLevel !== thinkingLevel)
    await log.append({ type: "thinking_level_change", thinkingLevel });
};

const findProvider = async (
  model: AgentSessionOptions["model"],
  { env }: HarnessCapabilities["process"],
  registry: ReturnType<typeof createRegistry>,
): Promise<ModelProvider | undefined> => {
  if (model === undefined || "stream" in model) return model;
  const custom = new Map([...registry.providers].map(([name, { value }]) => [name, value]));
  return resolveModel(model, env, custom);
};

/** One masks whatever looks like a secret, for records; the other values of the environment alone, for results. */
const openMasks = async (capabilities: HarnessCapabilities) => {
  const redactor = await openRedactor(capabilities);
  return {
    mask: (text: string) => redactor.redact(text),
    maskKnown: maskValues(secretValues(capabilities.process.env)),
  };
};

/**
 * Composes a session: the one composition there is, whether the world is real or fake. Throws when the model cannot be
 * used, an extension fails to load, or the session file cannot be opened; nothing is left running then.
 */
export const createAgentSession = async (
  options: AgentSessionOptions = {},
): Promise<{ session: AgentSession }> => {
  const capabilities = options.capabilities ?? createDefaultCapabilities();
  const { clock, fs, process } = capabilities;
  const cwd = options.cwd ?? process.cwd;
  const thinkingLevel = options.thinkingLevel ?? "off";
  const listeners = new Set<(event: SessionEvent) => void>();
  const emit = (event: NewEvent): void => {
    // Putting back what was left off gives the event; TypeScript loses that in a union.
    const { type, ...rest } = event;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    const complete = { type, timestamp: isoTime(clock.now()), ...rest } as SessionEvent;
    for (const listener of listeners) listener(complete);
  };

  const registry = createRegistry();
  const extensions = createExtensionRunner(registry, (failure) =>
    emit({ type: "extension_error", ...failure }),
  );
  for (const [index, extension] of (options.extensionFactories ?? []).entries()) {
    const { name, factory } =
      typeof extension === "function" ? { name: `inline-${index + 1}`, factory: extension } : extension;
    await extensions.load(name, factory);
  }
  const tools = collectTools(options, registry);
  checkToolNames(options.tools, tools());
  const provider = await findProvider(options.model, process, registry);
  const { mask, maskKnown } = await openMasks(capabilities);
  const log = await openLog(
    capabilities,
    cwd,
    options.session ?? { kind: "new" },
    options.keepBodies ?? false,
  );
  await noteModel(log, provider, thinkingLevel);

  const recorder = createProviderRecorder({
    log,
    clock,
    fs,
    mask,
    newRequestId: options.newRequestId ?? (() => uuidV4(process.randomBytes)),
    enabled: isAuditEnabled(process.env[ENV_PROVIDER_AUDIT]),
  });
  const pipeline = createToolPipeline({
    capabilities,
    extensions,
    log,
    cwd,
    tools,
    mask,
    maskKnown,
    ...(options.policy === undefined ? {} : { policy: options.policy }),
    ...(options.approver === undefined ? {} : { approver: options.approver }),
    ...(options.onToolStage === undefined ? {} : { onStage: options.onToolStage }),
  });
  const world: Omit<AgentWorld, "provider"> = {
    capabilities,
    log,
    recorder,
    mask,
    extensions,
    pipeline,
    thinkingLevel,
    tools,
    emit,
    network: options.transport ?? createNodeTransport(),
    settings: withDefaults(options.settings),
    systemPrompt: options.systemPrompt ?? buildSystemPrompt(cwd, [...tools().values()]),
  };
  await extensions.tell("session_start", { sessionId: log.header.id, cwd });
  return { session: createSession({ world: { ...world, provider }, listeners }) };
};
