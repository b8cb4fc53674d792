import { z } from "zod";
import { HarnessError } from "../base/errors.ts";
import type { WebhookDefinition } from "./definition.ts";
import type { ResolvePath } from "./path.ts";
import type { Problem } from "./problem.ts";
import { readSecret, secretKey, secretName } from "./secret.ts";

export const verifications = [
  "bearer",
  "hmac-sha256",
  "github",
  "gitea",
  "gitlab",
  "standard-webhooks",
] as const;

const MIB = 1024 * 1024;
const MOST_BODY = 25 * MIB;

const units: Readonly<Record<string, number>> = { "": 1, B: 1, KiB: 1024, MiB: MIB };

const size = z.string({ error: 'must be a size such as "512KiB"' }).transform((text, context) => {
  const [, amount = "", unit = ""] = /^(\d+)\s*(|B|KiB|MiB)$/.exec(text) ?? [];
  const bytes = Number(amount || NaN) * (units[unit] ?? NaN);
  if (bytes >= 1 && bytes <= MOST_BODY) return bytes;
  context.addIssue('must be a size from "1B" to "25MiB", such as "512KiB"');
  return z.NEVER;
});

/** Deliveries in a stretch of time. */
const rate = z.string({ error: 'must be a rate such as "60/m"' }).transform((text, context) => {
  const [, amount = "", unit = ""] = /^([1-9]\d{0,5})\/([smh])$/.exec(text) ?? [];
  const perMs = { s: 1000, m: 60_000, h: 3_600_000 }[unit];
  if (text === "0") return null;
  if (perMs !== undefined) return { count: Number(amount), perMs };
  context.addIssue('must be a rate such as "60/m", "5/s" or "100/h", or "0" for none');
  return z.NEVER;
});

const headerName = z
  .string({ error: "must be the name of a header" })
  .regex(/^[A-Za-z0-9-]{1,64}$/, { error: "must be the name of a header" });

const filled = z.string({ error: "must be a string" }).min(1, { error: "must not be empty" });

/** One `[webhook.<name>]` as written. */
export const webhookTable = z.strictObject({
  verify: z.enum(verifications, { error: `must be one of ${verifications.join(", ")}` }),
  env_file: filled,
  secret: secretKey,
  events: z.array(filled, { error: "must be a list of event names" }).min(1).optional(),
  max_body: size.optional(),
  rate_limit: rate.optional(),
  signature_header: headerName.optional(),
  signature_prefix: z.string({ error: "must be a string" }).max(64).optional(),
  event_header: headerName.optional(),
  delivery_header: headerName.optional(),
  enabled: z.boolean({ error: "must be true or false" }).optional(),
});

const DEFAULT_RATE = { count: 60, perMs: 60_000 };

/** Fills in defaults and sees to it that the secret can be read. */
export const webhookOf = (
  name: string,
  table: z.infer<typeof webhookTable>,
  resolve: ResolvePath,
  problems: Problem[],
): WebhookDefinition => {
  const report = (key: string, at: Problem["at"], message: string): void => {
    problems.push({ path: ["webhook", name, key], at, message });
  };
  for (const key of ["signature_header", "signature_prefix"] as const) {
    if (table[key] !== undefined && table.verify !== "hmac-sha256")
      report(key, "key", 'belongs to verify = "hmac-sha256" only');
  }
  const secret = { file: resolve(table.env_file), name: secretName(table.secret) };
  try {
    checkSecret(readSecret(secret), table.verify);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    const about = error.message.includes(" has no value for ") || error.message.startsWith("the secret");
    report(about ? "secret" : "env_file", "value", `${error.message}; ${error.hint ?? ""}`);
  }
  const header = (text: string | undefined): string | undefined => text?.toLowerCase();
  const [event, delivery] = [header(table.event_header), header(table.delivery_header)];
  return {
    name,
    verify: table.verify,
    secret,
    ...(table.events !== undefined && { events: table.events }),
    maxBodyBytes: table.max_body ?? MIB,
    ...(table.rate_limit !== null && { rate: table.rate_limit ?? DEFAULT_RATE }),
    signatureHeader: header(table.signature_header) ?? "x-signature",
    signaturePrefix: table.signature_prefix ?? "",
    ...(event !== undefined && { eventHeader: event }),
    ...(delivery !== undefined && { deliveryHeader: delivery }),
    enabled: table.enabled ?? true,
  };
};

const SHORTEST_SECRET = 16;

const checkSecret = (secret: string, verify: WebhookDefinition["verify"]): void => {
  if (verify === "standard-webhooks" && !/^whsec_[A-Za-z0-9+/]{20,}={0,2}$/.test(secret)) {
    throw new HarnessError("config_invalid", "the secret of a standard webhook is whsec_ and base64", {
      hint: "take it as the sender shows it",
    });
  }
  if (secret.length < SHORTEST_SECRET) {
    throw new HarnessError("config_invalid", `the secret is shorter than ${SHORTEST_SECRET} characters`, {
      hint: "make one with: openssl rand -hex 32",
    });
  }
};
