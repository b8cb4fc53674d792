import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { SessionEvent } from "../events.ts";
import type { LoadedExtension } from "../extensions/load.ts";
import type { Registry } from "../extensions/registry.ts";
import type { Message } from "../message.ts";
import type { ModelSelection } from "../provider/catalog.ts";
import type { ModelInfo, ModelProvider } from "../provider/types.ts";
import type { RunResult } from "../result.ts";
import { modelContext } from "../session/context.ts";
import type { SessionEntry, SessionHeader, ThinkingLevel } from "../session/entry.ts";
import { compact } from "./compact.ts";
import { runPrompt } from "./loop.ts";
import { type ModelChoice, noteModel } from "./model.ts";
import { createTally } from "./tally.ts";
import type { ToolInfo } from "./tools.ts";
import type { AgentWorld } from "./world.ts";

/** A conversation with the agent. */
export interface AgentSession {
  readonly header: SessionHeader;
  readonly capabilities: HarnessCapabilities;
  /** Null when none is chosen yet. */
  readonly model: ModelInfo | null;
  readonly thinkingLevel: ThinkingLevel;
  /** What the model would see now. */
  readonly messages: readonly Message[];
  /** As it would be sent now. */
  readonly systemPrompt: string;
  /** All tools, on or not. */
  readonly tools: readonly ToolInfo[];
  readonly entries: readonly SessionEntry[];
  /** Absolute path of the session file; absent for a session in memory. */
  readonly path?: string;
  /** In load order. */
  readonly extensions: readonly LoadedExtension[];
  /** What extensions have published. */
  readonly registry: Registry;
  /** Whether a prompt is being worked on. */
  readonly isRunning: boolean;
  /** Works on a prompt. Failures of the model or of a tool are part of the result; nothing of them is thrown. */
  prompt(text: string): Promise<RunResult>;
  /** Says something while the agent works; it hears it after the tool calls that are on. */
  steer(text: string): void;
  /** Says something that is heard when the work on the prompt is done, as part of the same run. */
  followUp(text: string): void;
  /** Sums up older history now. False when there is none. Throws when the model fails. */
  compact(): Promise<boolean>;
  /** Another model, another amount of thought, or both, from the next prompt on. */
  setModel(choice: { model?: ModelProvider | ModelSelection; thinkingLevel?: ThinkingLevel }): Promise<void>;
  /** Ends the run that is on; its result is `aborted`. */
  abort(reason?: string): void;
  /** Waits for the run that is on, if any. */
  idle(): Promise<void>;
  /** Hears events from now on; returns how to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
  /** Aborts what runs and lets go of all listeners. */
  dispose(): Promise<void>;
}

interface Parts {
  world: Omit<AgentWorld, "provider" | "thinkingLevel">;
  model: ModelChoice;
  listeners: Set<(event: SessionEvent) => void>;
  known: () => ToolInfo[];
  loaded: readonly LoadedExtension[];
  findProvider(model: ModelProvider | ModelSelection | undefined): Promise<ModelProvider | undefined>;
}

export const createSession = ({
  world,
  model: chosen,
  listeners,
  known,
  loaded,
  findProvider,
}: Parts): AgentSession => {
  const { log, capabilities, extensions, queue } = world;
  let choice = chosen;
  let running: { controller: AbortController; done: Promise<unknown> } | undefined;

  /** One piece of work at a time, which `abort` ends. */
  const exclusively = async <T>(work: (world: AgentWorld, signal: AbortSignal) => Promise<T>): Promise<T> => {
    if (running !== undefined)
      throw new Error("The session is working on a prompt; wait for it or abort it first.");
    const { provider, thinkingLevel } = choice;
    if (provider === undefined)
      throw new Error(
        "No model is chosen: give createAgentSession a model, or orphus --provider and --model.",
      );
    const controller = new AbortController();
    const done = work({ ...world, provider, thinkingLevel }, controller.signal);
    running = { controller, done };
    try {
      return await done;
    } finally {
      running = undefined;
    }
  };

  const abort = (reason = "aborted by the user"): void => running?.controller.abort(new Error(reason));

  const idle = async (): Promise<void> => {
    await running?.done.catch(() => undefined);
  };

  return {
    header: log.header,
    capabilities,
    get model() {
      return choice.provider?.model ?? null;
    },
    get thinkingLevel() {
      return choice.thinkingLevel;
    },
    get messages() {
      return modelContext(log.branch());
    },
    get systemPrompt() {
      return world.systemPrompt();
    },
    get tools() {
      return known();
    },
    entries: log.entries,
    ...(log.path === undefined ? {} : { path: log.path }),
    extensions: loaded,
    registry: extensions.registry,
    get isRunning() {
      return running !== undefined;
    },
    prompt: (text) => exclusively((ready, signal) => runPrompt(ready, text, signal)),
    steer: (text) => void queue.steering.push(text),
    followUp: (text) => void queue.followUps.push(text),
    compact: () => exclusively((ready, signal) => compact(ready, signal, createTally())),
    async setModel({ model, thinkingLevel = choice.thinkingLevel }) {
      const provider = model === undefined ? choice.provider : await findProvider(model);
      choice = { provider, thinkingLevel };
      await noteModel(log, choice);
    },
    abort,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    idle,
    async dispose() {
      abort("the session was closed");
      await idle();
      listeners.clear();
    },
  };
};
