import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { SessionEvent } from "../events.ts";
import type { Registry } from "../extensions/registry.ts";
import type { Message } from "../message.ts";
import type { ModelInfo } from "../provider/types.ts";
import { modelContext } from "../session/context.ts";
import type { SessionEntry, SessionHeader } from "../session/entry.ts";
import type { RunResult } from "../result.ts";
import { runPrompt } from "./loop.ts";
import type { AgentWorld } from "./world.ts";

/** A conversation with the agent. */
export interface AgentSession {
  readonly header: SessionHeader;
  readonly capabilities: HarnessCapabilities;
  /** Null when none is chosen yet. */
  readonly model: ModelInfo | null;
  /** What the model would see now. */
  readonly messages: readonly Message[];
  readonly entries: readonly SessionEntry[];
  /** Absolute path of the session file; absent for a session in memory. */
  readonly path?: string;
  /** What extensions have published. */
  readonly registry: Registry;
  /** Works on a prompt. Failures of the model or of a tool are part of the result; nothing of them is thrown. */
  prompt(text: string): Promise<RunResult>;
  /** Ends the run that is on; its result is `aborted`. */
  abort(reason?: string): void;
  /** Hears events from now on; returns how to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
  /** Aborts what runs and lets go of all listeners. */
  dispose(): Promise<void>;
}

interface Parts {
  world: Omit<AgentWorld, "provider"> & { provider: AgentWorld["provider"] | undefined };
  listeners: Set<(event: SessionEvent) => void>;
}

export const createSession = ({ world, listeners }: Parts): AgentSession => {
  const { log, capabilities, extensions, provider } = world;
  let running: { controller: AbortController; done: Promise<RunResult> } | undefined;

  const prompt = async (text: string): Promise<RunResult> => {
    if (running !== undefined)
      throw new Error("The session is working on a prompt; wait for it or abort it first.");
    if (provider === undefined)
      throw new Error(
        "No model is chosen: give createAgentSession a model, or orphus --provider and --model.",
      );
    const controller = new AbortController();
    const done = runPrompt({ ...world, provider }, text, controller.signal);
    running = { controller, done };
    try {
      return await done;
    } finally {
      running = undefined;
    }
  };

  const abort = (reason = "aborted by the user"): void => running?.controller.abort(new Error(reason));

  return {
    header: log.header,
    capabilities,
    model: provider?.model ?? null,
    get messages() {
      return modelContext(log.branch());
    },
    entries: log.entries,
    ...(log.path === undefined ? {} : { path: log.path }),
    registry: extensions.registry,
    prompt,
    abort,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async dispose() {
      abort("the session was closed");
      await running?.done;
      listeners.clear();
    },
  };
};
