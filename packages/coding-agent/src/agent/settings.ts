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
}

export const DEFAULT_SETTINGS: AgentSettings = {
  retry: { maxRetries: 3, baseDelayMs: 2_000, maxDelayMs: 60_000 },
  maxTurns: 200,
};

/** Settings with some of them given. */
export interface SettingsOverrides {
  retry?: Partial<AgentSettings["retry"]>;
  maxTurns?: number;
}

export const withDefaults = ({ retry, maxTurns }: SettingsOverrides = {}): AgentSettings => ({
  retry: { ...DEFAULT_SETTINGS.retry, ...retry },
  maxTurns: maxTurns ?? DEFAULT_SETTINGS.maxTurns,
});
