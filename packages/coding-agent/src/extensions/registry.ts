import type { ProviderConfig } from "../provider/types.ts";
import type { ToolDefinition } from "../tools/tool.ts";
import type { ExtensionEventName, ExtensionHandler } from "./events.ts";
import { createTransactions, type Transactions } from "./transaction.ts";

export interface CommandDefinition {
  description?: string;
  handler(args: string): void | Promise<void>;
}

export interface ShortcutDefinition {
  description?: string;
  handler(): void | Promise<void>;
}

export interface FlagDefinition {
  description?: string;
  type: "boolean" | "string";
  default?: boolean | string;
}

/** A thing with the extension that brought it. */
export interface Owned<T> {
  owner: string;
  value: T;
}

/** A handler of any event; which one says the list it stands in. */
export interface RegisteredHandler {
  owner: string;
  event: ExtensionEventName;
  handle: (event: never) => unknown;
}

/**
 * Everything that extensions have published. Registrations are collected by the transaction they are made in and appear
 * here all together, or not at all. Where two extensions take one name, the first keeps it.
 */
export interface Registry {
  readonly tools: ReadonlyMap<string, Owned<ToolDefinition>>;
  readonly commands: ReadonlyMap<string, Owned<CommandDefinition>>;
  readonly shortcuts: ReadonlyMap<string, Owned<ShortcutDefinition>>;
  readonly flags: ReadonlyMap<string, Owned<FlagDefinition>>;
  /** Values of flags: what was set, else the default of the flag's owner. */
  readonly flagValues: ReadonlyMap<string, boolean | string>;
  readonly providers: ReadonlyMap<string, Owned<ProviderConfig>>;
  /** In load order, then registration order: the order they run in. */
  readonly handlers: readonly RegisteredHandler[];
  readonly transactions: Transactions;
  /** Flags that were set, as opposed to left at their default. */
  readonly explicitFlags: ReadonlySet<string>;
  /** Sets a flag, as the command line does; it outranks every default. */
  setFlag(name: string, value: boolean | string): void;
  /** Hears of each commit that changed the tools; returns how to stop. */
  onToolsChanged(listener: () => void): () => void;
  /** The writing side, for one extension. */
  writer(owner: string): RegistryWriter;
}

export interface RegistryWriter {
  tool: (tool: ToolDefinition) => void;
  command: (name: string, command: CommandDefinition) => void;
  shortcut: (key: string, shortcut: ShortcutDefinition) => void;
  flag: (name: string, flag: FlagDefinition) => void;
  provider: (name: string, config: ProviderConfig) => void;
  handler: <Name extends ExtensionEventName>(event: Name, handle: ExtensionHandler<Name>) => void;
}

const claim = <T>(map: Map<string, Owned<T>>, name: string, owner: string, value: T): boolean => {
  const holder = map.get(name);
  if (holder !== undefined && holder.owner !== owner) return false;
  map.set(name, { owner, value });
  return true;
};

export const createRegistry = (): Registry => {
  const tools = new Map<string, Owned<ToolDefinition>>();
  const commands = new Map<string, Owned<CommandDefinition>>();
  const shortcuts = new Map<string, Owned<ShortcutDefinition>>();
  const flags = new Map<string, Owned<FlagDefinition>>();
  const flagValues = new Map<string, boolean | string>();
  const providers = new Map<string, Owned<ProviderConfig>>();
  const handlers: RegisteredHandler[] = [];
  const explicitFlags = new Set<string>();
  const listeners = new Set<() => void>();
  let toolsChanged = false;

  const transactions = createTransactions(() => {
    if (!toolsChanged) return;
    toolsChanged = false;
    for (const listener of listeners) listener();
  });

  const writer = (owner: string): RegistryWriter => ({
    tool: (tool) =>
      transactions.stage(() => {
        toolsChanged = claim(tools, tool.name, owner, tool) || toolsChanged;
      }),
    command: (name, command) => transactions.stage(() => void claim(commands, name, owner, command)),
    shortcut: (key, shortcut) => transactions.stage(() => void claim(shortcuts, key, owner, shortcut)),
    flag: (name, flag) =>
      transactions.stage(() => {
        const isOwner = claim(flags, name, owner, flag);
        if (isOwner && flag.default !== undefined && !flagValues.has(name))
          flagValues.set(name, flag.default);
      }),
    provider: (name, config) => transactions.stage(() => void claim(providers, name, owner, config)),
    handler: (event, handle) => transactions.stage(() => void handlers.push({ owner, event, handle })),
  });

  return {
    tools,
    commands,
    shortcuts,
    flags,
    flagValues,
    providers,
    handlers,
    transactions,
    writer,
    explicitFlags,
    setFlag(name, value) {
      explicitFlags.add(name);
      flagValues.set(name, value);
    },
    onToolsChanged(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
