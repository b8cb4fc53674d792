import type { ClockCapability } from "../capabilities/types.ts";
import { within } from "../within.ts";
import type { ExtensionEventName, ExtensionEvents, ExtensionHandler } from "./events.ts";
import type { RegisteredHandler, Registry } from "./registry.ts";

/** What an extension's factory is given. */
export interface ExtensionApi {
  on<Name extends ExtensionEventName>(event: Name, handler: ExtensionHandler<Name>): void;
  registerTool: ReturnType<Registry["writer"]>["tool"];
  registerCommand: ReturnType<Registry["writer"]>["command"];
  registerShortcut: ReturnType<Registry["writer"]>["shortcut"];
  registerFlag: ReturnType<Registry["writer"]>["flag"];
  registerProvider: ReturnType<Registry["writer"]>["provider"];
  getFlag(name: string): boolean | string | undefined;
}

/** Sets an extension up. What it registers counts only when it returns without throwing. */
export type ExtensionFactory = (api: ExtensionApi) => void | Promise<void>;

export interface ExtensionFailure {
  extension: string;
  event: ExtensionEventName;
  message: string;
}

export interface ExtensionRunner {
  readonly registry: Registry;
  /** Runs a factory in a transaction of its own; its failure is thrown. */
  load(name: string, factory: ExtensionFactory): Promise<void>;
  /**
   * Runs the handlers of an event in load order, all in one transaction, and hands each answer to `take`, which may end
   * the chain by returning false. A handler that throws ends the chain, rolls back what any handler of this event
   * registered, and the error is thrown.
   */
  emit<Name extends ExtensionEventName>(
    name: Name,
    event: ExtensionEvents[Name]["event"],
    take?: (answer: ExtensionEvents[Name]["answer"]) => boolean | void,
  ): Promise<void>;
  /** As `emit`, for events that only tell: a failure is reported and goes no further. */
  tell<Name extends ExtensionEventName>(name: Name, event: ExtensionEvents[Name]["event"]): Promise<void>;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An error of a handler, with whose it was. */
class HandlerError extends Error {
  override name = "HandlerError";
  readonly extension: string;
  constructor(extension: string, cause: unknown) {
    super(`extension ${extension}: ${messageOf(cause)}`, { cause });
    this.extension = extension;
  }
}

const handlersOf = <Name extends ExtensionEventName>(
  registry: Registry,
  name: Name,
): { owner: string; handle: ExtensionHandler<Name> }[] =>
  registry.handlers
    .filter((registered: RegisteredHandler) => registered.event === name)
    // The writer put the handler there under the event's name, with the type that goes with it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    .map(({ owner, handle }) => ({ owner, handle: handle as ExtensionHandler<Name> }));

/** How long an extension may take, and by which clock. */
export interface ExtensionLimits {
  clock: ClockCapability;
  timeoutMs: number;
}

export const createExtensionRunner = (
  registry: Registry,
  report: (failure: ExtensionFailure) => void,
  { clock, timeoutMs }: ExtensionLimits,
): ExtensionRunner => {
  const bounded = <T>(work: Promise<T>): Promise<T> =>
    within(clock, timeoutMs, work, () => new Error(`did not return within ${timeoutMs / 1000} s`));

  const emit: ExtensionRunner["emit"] = (name, event, take) =>
    registry.transactions.run(async () => {
      for (const { owner, handle } of handlersOf(registry, name)) {
        let answer;
        try {
          answer = await bounded(Promise.resolve(handle(event)));
        } catch (error) {
          throw new HandlerError(owner, error);
        }
        if (take?.(answer) === false) return;
      }
    });

  return {
    registry,
    emit,
    async tell(name, event) {
      try {
        await emit(name, event);
      } catch (error) {
        const extension = error instanceof HandlerError ? error.extension : "unknown";
        report({ extension, event: name, message: messageOf(error) });
      }
    },
    async load(name, factory) {
      const write = registry.writer(name);
      const api: ExtensionApi = {
        on: write.handler,
        registerTool: write.tool,
        registerCommand: write.command,
        registerShortcut: write.shortcut,
        registerFlag: write.flag,
        registerProvider: write.provider,
        getFlag: (flag) => registry.flagValues.get(flag),
      };
      try {
        await registry.transactions.run(() => bounded(Promise.resolve(factory(api))));
      } catch (error) {
        throw new HandlerError(name, error);
      }
    },
  };
};
