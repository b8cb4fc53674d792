import type { HarnessCapabilities, HarnessCapabilityOverrides } from "../types.ts";
import { createSystemClock } from "./clock.ts";
import { createNodeFileSystem } from "./fs.ts";
import { createNodeProcesses } from "./process.ts";
import { createStdioTerminalTransport } from "./terminal.ts";

/**
 * The real world. No keychain is bound, so credentials are denied: the capability is empty and does not look anywhere
 * else for one.
 */
export const createDefaultCapabilities = (
  overrides: HarnessCapabilityOverrides = {},
): HarnessCapabilities => ({
  clock: overrides.clock ?? createSystemClock(),
  fs: overrides.fs ?? createNodeFileSystem(),
  process: overrides.process ?? createNodeProcesses(),
  credentials: overrides.credentials ?? {
    kind: "empty",
    list: async () => [],
    reveal: async () => undefined,
  },
  browser: overrides.browser ?? { kind: "unavailable", isAvailable: () => false },
  transcription: overrides.transcription ?? { kind: "unavailable", isAvailable: () => false },
  terminal: overrides.terminal ?? createStdioTerminalTransport(),
});
