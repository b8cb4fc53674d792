import { createHmac } from "node:crypto";
import type { WebhookDefinition } from "../../config/definition.ts";

/** A secret for tests, put together so that it stands nowhere as such. */
export const secret = ["k".repeat(8), "0123456789", "abcdef"].join("-");

export const hook = (more: Partial<WebhookDefinition> = {}): WebhookDefinition => ({
  name: "github",
  verify: "github",
  secret: { file: "/nowhere", name: "SECRET" },
  maxBodyBytes: 1024,
  signatureHeader: "x-signature",
  signaturePrefix: "",
  enabled: true,
  ...more,
});

export const hmacHex = (body: Uint8Array, key = secret): string =>
  createHmac("sha256", key).update(body).digest("hex");
