/** US dollars per million tokens. */
export interface ModelPrices {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** What is known of a model. */
export interface ModelInfo {
  id: string;
  name: string;
  provider: string;
  /** The wire format, such as `anthropic-messages`. */
  api: string;
  baseUrl: string;
  /** Absent when the prices are not known. */
  prices?: ModelPrices;
  /** Whether it can be asked to think. */
  reasoning: boolean;
  /** Tokens. */
  contextWindow: number;
  maxTokens: number;
}
