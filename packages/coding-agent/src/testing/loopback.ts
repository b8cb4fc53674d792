import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentSessionOptions,
  createAgentSession,
  createDefaultCapabilities,
  type HarnessCapabilities,
  type ProviderConfig,
} from "../index.ts";
import { createNodeTransport } from "../capabilities/node/transport.ts";
import { requestRecords, responseRecords } from "../record/entries.ts";

/** A session on the real world (files in a folder of its own) that talks to a server on the loopback. */
export const createLoopbackSession = async (
  baseUrl: string,
  api: ProviderConfig["api"] = "anthropic-messages",
  options: AgentSessionOptions & { world?: Partial<HarnessCapabilities> } = {},
) => {
  const root = mkdtempSync(join(tmpdir(), "orphus-loopback-"));
  const { world, extensionFactories = [], ...rest } = options;
  const { session } = await createAgentSession({
    capabilities: createDefaultCapabilities(world),
    cwd: root,
    session: { kind: "new", dir: join(root, "sessions") },
    model: { provider: "loop", model: "m" },
    transport: createNodeTransport(),
    keepBodies: true,
    settings: { retry: { maxRetries: 0 } },
    ...rest,
    extensionFactories: [
      (extension) => extension.registerProvider("loop", { api, baseUrl, models: [{ id: "m" }] }),
      ...extensionFactories,
    ],
  });
  return {
    root,
    session,
    requests: () => requestRecords(session.entries),
    responses: () => responseRecords(session.entries),
    async [Symbol.asyncDispose]() {
      await session.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
};
