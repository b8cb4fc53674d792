import { z } from "zod";
import type { ServerSettings } from "./definition.ts";

const DEFAULT_PORT = 4270;

/** A literal address and a port; a name could resolve to anything. */
const listen = z.string({ error: "must be an address and a port" }).transform((text, context) => {
  const [, bracketed, plain, port = ""] =
    /^(?:\[([0-9a-f:.]+)\]|([0-9.]+|localhost)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  context.addIssue('must be an address and a port, such as "127.0.0.1:4270" or "[::1]:4270"');
  return z.NEVER;
});

/** `[server]` as written. */
export const serverTable = z.strictObject({ listen: listen.optional() });

/** Loopback where nothing else is said. */
export const serverOf = (table: z.infer<typeof serverTable>): ServerSettings =>
  table.listen ?? { host: "127.0.0.1", port: DEFAULT_PORT };
