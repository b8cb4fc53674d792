/** What can be set of the agent's work. */
export interface AgentSettings {
  retry: {
    /** Tries after the first. */
    maxRetries: number;
    /** The first wait; each next one is twice as long. */
    baseDelayMs: number;
    /** No wait is longer; a server that asks for more is not waited for. */
    maxDelayMs: number;
  };
  /** Model turns in one run. */
  maxTurns: number;
  /** A provider that sends nothing for so long is given up on, as a failure of the network. */
  idleTimeoutMs: number;
  /** How long a factory or a handler of an extension may take; one that takes longer has failed. */
  extensionTimeoutMs: number;
  /** Older history is summed up when the conversation nears the end of the model's context window. */
  compaction: {
    enabled: boolean;
    /** Tokens of the window that are kept free for the answer. */
    reserveTokens: number;
    /** About so many tokens of the newest messages stay as they are. */
    keepRecentTokens: number;
  };
}

export const DEFAULT_SETTINGS: AgentSettings = {
  retry: { maxRetries: 3, baseDelayMs: 2_000, maxDelayMs: 60_000 },
  maxTurns: 200,
  idleTimeoutMs: 300_000,
  extensionTimeoutMs: 60_000,
  compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
};

/** Settings with some of them given. */
export interface SettingsOverrides {
  retry?: Partial<AgentSettings["retry"]>;
  maxTurns?: number;
  idleTimeoutMs?: number;
  extensionTimeoutMs?: number;
  compaction?: Partial<AgentSettings["compaction"]>;
}

export const withDefaults = ({
  retry,
  maxTurns = DEFAULT_SETTINGS.maxTurns,
  idleTimeoutMs = DEFAULT_SETTINGS.idleTimeoutMs,
  extensionTimeoutMs = DEFAULT_SETTINGS.extensionTimeoutMs,
  compaction,
}: SettingsOverrides = {}): AgentSettings => ({
  retry: { ...DEFAULT_SETTINGS.retry, ...retry },
  maxTurns,
  idleTimeoutMs,
  extensionTimeoutMs,
  compaction: { ...DEFAULT_SETTINGS.compaction, ...compaction },
});
