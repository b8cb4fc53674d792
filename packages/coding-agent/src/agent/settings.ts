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
}

export const DEFAULT_SETTINGS: AgentSettings = {
  retry: { maxRetries: 3, baseDelayMs: 2_000, maxDelayMs: 60_000 },
  maxTurns: 200,
  idleTimeoutMs: 300_000,
};

/** Settings with some of them given. */
export interface SettingsOverrides {
  retry?: Partial<AgentSettings["retry"]>;
  maxTurns?: number;
  idleTimeoutMs?: number;
}

export const withDefaults = ({ retry, ...rest }: SettingsOverrides = {}): AgentSettings => ({
  ...DEFAULT_SETTINGS,
  ...rest,
  retry: { ...DEFAULT_SETTINGS.retry, ...retry },
});
