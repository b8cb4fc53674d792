import { createDefaultCapabilities } from "../capabilities/node/index.ts";
import { createNodeTransport } from "../capabilities/node/transport.ts";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { SessionEvent } from "../events.ts";
import { type LoadedExtension, type NamedExtension, nameExtensions } from "../extensions/load.ts";
import { createRegistry, type Registry } from "../extensions/registry.ts";
import { createExtensionRunner, type ExtensionFactory, type ExtensionRunner } from "../extensions/runner.ts";
import { uuidV4 } from "../ids.ts";
import type { ToolApprover, ToolPolicy } from "../pipeline/approve.ts";
import type { Stage } from "../pipeline/call.ts";
import { createToolPipeline, type RecordedResults } from "../pipeline/pipeline.ts";
import { type ModelSelection, resolveModel } from "../provider/catalog.ts";
import type { ModelProvider, ModelTransport } from "../provider/types.ts";
import { openRedactor } from "../record/mask.ts";
import { createProviderRecorder, isAuditEnabled } from "../record/recorder.ts";
import { maskValues, secretValues } from "../record/secrets.ts";
import { ENV_PROVIDER_AUDIT } from "../record/types.ts";
import type { ThinkingLevel } from "../session/entry.ts";
import { isoTime } from "../time.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import { noteModel } from "./model.ts";
import { openLog, type SessionPlace } from "./open-log.ts";
import { buildSystemPrompt, type Instructions } from "./prompt.ts";
import { type AgentSession, createSession } from "./session.ts";
import { type AgentSettings, type SettingsOverrides, withDefaults } from "./settings.ts";
import { checkToolNames, collectTools, type ToolInfo } from "./tools.ts";
import type { AgentWorld, NewEvent } from "./world.ts";

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
  /** What is added to the system prompt that orphus writes. */
  instructions?: Instructions;
  /** Values of flags that extensions register. */
  flags?: Readonly<Record<string, boolean | string>>;
  /** Makes the ids of requests. Default: UUIDs from the process capability's random bytes. */
  newRequestId?: () => string;
  /**
   * Keeps the bodies of requests and responses in memory as well, so that the session's entries have them. Default: they
   * stand in the file alone.
   */
  keepBodies?: boolean;
  /** Results that are given in place of running tools, by the call's id: a replay has them from its record. */
  recordedResult?: RecordedResults;
  /** Hears of each stage of the tool pipeline as a call enters it. */
  onToolStage?: (stage: Stage, toolCallId: string) => void;
}

const findProvider = async (
  model: ModelProvider | ModelSelection | undefined,
  { env }: HarnessCapabilities["process"],
  registry: Registry,
): Promise<ModelProvider | undefined> => {
  if (model === undefined || "stream" in model) return model;
  const custom = new Map([...registry.providers].map(([name, { value }]) => [name, value]));
  return resolveModel(model, env, custom);
};

const setFlags = (registry: Registry, flags: AgentSessionOptions["flags"] = {}): void => {
  for (const [name, value] of Object.entries(flags)) {
    if (!registry.flags.has(name))
      throw new Error(
        `No extension has the flag ${name}. There are: ${[...registry.flags.keys()].join(", ") || "none"}.`,
      );
    registry.setFlag(name, value);
  }
};

/** Loads the extensions in order. The first that fails ends the boot. */
const bootExtensions = async (
  options: AgentSessionOptions,
  settings: AgentSettings,
  clock: HarnessCapabilities["clock"],
  emit: (event: NewEvent) => void,
): Promise<{ extensions: ExtensionRunner; loaded: LoadedExtension[] }> => {
  const extensions = createExtensionRunner(
    createRegistry(),
    (failure) => emit({ type: "extension_error", ...failure }),
    { clock, timeoutMs: settings.extensionTimeoutMs },
  );
  const loaded: LoadedExtension[] = [];
  for (const { name, source, factory } of nameExtensions(options.extensionFactories ?? [])) {
    await extensions.load(name, factory);
    loaded.push({ name, source });
  }
  setFlags(extensions.registry, options.flags);
  return { extensions, loaded };
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

  const settings = withDefaults(options.settings);
  const { extensions, loaded } = await bootExtensions(options, settings, clock, emit);
  const { registry } = extensions;
  const known = (): ToolInfo[] => collectTools(registry, options.customTools ?? [], options.tools);
  const tools = () =>
    new Map(known().flatMap(({ tool, active }) => (active ? [[tool.name, tool] as const] : [])));
  checkToolNames(options.tools, known());
  const provider = await findProvider(options.model, process, registry);
  const { mask, maskKnown } = await openMasks(capabilities);
  const log = await openLog(
    capabilities,
    cwd,
    options.session ?? { kind: "new" },
    options.keepBodies ?? false,
  );
  await noteModel(log, { provider, thinkingLevel });

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
    ...(options.recordedResult === undefined ? {} : { recordedResult: options.recordedResult }),
    ...(options.onToolStage === undefined ? {} : { onStage: options.onToolStage }),
  });
  const world: Omit<AgentWorld, "provider" | "thinkingLevel"> = {
    capabilities,
    log,
    recorder,
    mask,
    extensions,
    pipeline,
    tools,
    emit,
    network: options.transport ?? createNodeTransport(),
    settings,
    queue: { steering: [], followUps: [] },
    systemPrompt: () =>
      options.systemPrompt ?? buildSystemPrompt(cwd, [...tools().values()], options.instructions),
  };
  await extensions.tell("session_start", { sessionId: log.header.id, cwd });
  const session = createSession({
    world,
    model: { provider, thinkingLevel },
    listeners,
    known,
    loaded,
    findProvider: (model) => findProvider(model, process, registry),
  });
  return { session };
};
