import type { CredentialCapability, CredentialEntry, HarnessCapabilities } from "../types.ts";
import { createFakeClock } from "./clock.ts";
import { createFakeFileSystem } from "./fs.ts";
import { createFakeProcesses } from "./process.ts";
import { createFakeTerminalTransport } from "./terminal.ts";

/** Credentials from a list. */
export const createFakeCredentials = (
  entries: readonly (CredentialEntry & { secret: string })[] = [],
): CredentialCapability => ({
  kind: "fake",
  list: async () =>
    entries.map(({ label, origin, username }) => ({
      label,
      origin,
      ...(username === undefined ? {} : { username }),
    })),
  reveal: async (label) => entries.find((entry) => entry.label === label)?.secret,
});

/** A world in memory, where time stands still. Parts that are given replace the fake ones; their types stay known. */
export const createFakeCapabilities = <Overrides extends Partial<HarnessCapabilities>>(
  // An empty object has no part to replace, which is what the type says of a missing one.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  overrides: Overrides = {} as Overrides,
) => ({
  clock: createFakeClock(),
  fs: createFakeFileSystem(),
  process: createFakeProcesses(),
  credentials: createFakeCredentials(),
  browser: { kind: "fake", isAvailable: () => false },
  transcription: { kind: "fake", isAvailable: () => false },
  terminal: createFakeTerminalTransport(),
  ...overrides,
});
