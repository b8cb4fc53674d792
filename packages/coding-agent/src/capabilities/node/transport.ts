/** How a provider's HTTP request leaves the process. Always asked through, never taken from the global. */
export type ModelTransport = typeof globalThis.fetch;

/** The network of the machine. */
export const createNodeTransport = (): ModelTransport => (input, init) => globalThis.fetch(input, init);
