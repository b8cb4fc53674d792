import { z } from "zod";
import { commandTranscripts } from "../kinds/command.ts";
import { agentKinds } from "../kinds/registry.ts";
import { daemonTable, harnessTable, redactTable, type topKeys, traceTable } from "./schema.ts";
import { serverTable } from "./server.ts";
import { webhookTable } from "./webhook.ts";

/**
 * The JSON Schema of `harness.toml`, for editors. It knows each key by itself; what goes together, and what needs the file
 * system, only `harness config check` can say.
 */
export const configSchema = (): Record<string, unknown> => {
  const tables: Record<(typeof topKeys)[number], z.ZodType> = {
    daemon: daemonTable.optional(),
    server: serverTable.optional(),
    redact: redactTable.optional(),
    trace: traceTable.optional(),
    webhook: z.record(z.string(), webhookTable).optional(),
    harness: z
      .record(
        z.string(),
        harnessTable.extend({
          harness: z.enum([...agentKinds.map(({ name }) => name), "command"]),
          transcripts: z.enum(commandTranscripts).optional(),
        }),
      )
      .optional(),
  };
  const { $schema, ...schema } = z.toJSONSchema(z.strictObject(tables), { io: "input", target: "draft-7" });
  return { $schema, title: "harness.toml", ...schema };
};
