import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookDefinition } from "../config/definition.ts";

/** A request as it came. Names of headers are in lower case; a header that came more than once is not looked at. */
export interface Delivery {
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array;
}

/** How far a standard webhook's time may be from ours. */
const TOLERANCE_MS = 300_000;

type Verify = (delivery: Delivery, secret: string, webhook: WebhookDefinition, now: number) => boolean;

/** Whether the delivery proves that its sender knows the secret. `now` is wall time in ms. */
export const isGenuine: Verify = (delivery, secret, webhook, now) =>
  VERIFIERS[webhook.verify](delivery, secret, webhook, now);

const VERIFIERS: Readonly<Record<WebhookDefinition["verify"], Verify>> = {
  bearer: ({ headers }, secret) => {
    const [, token] = /^bearer +(.+)$/i.exec(headers["authorization"] ?? "") ?? [];
    return same(token, secret);
  },
  "hmac-sha256": ({ headers, body }, secret, { signatureHeader, signaturePrefix }) =>
    signed(headers[signatureHeader], signaturePrefix, secret, body),
  github: ({ headers, body }, secret) => signed(headers["x-hub-signature-256"], "sha256=", secret, body),
  gitea: ({ headers, body }, secret) => signed(headers["x-gitea-signature"], "", secret, body),
  gitlab: ({ headers }, secret) => same(headers["x-gitlab-token"], secret),
  "standard-webhooks": ({ headers, body }, secret, _webhook, now) => {
    const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers;
    if (id === undefined || time === undefined || !/^\d{1,12}$/.test(time)) return false;
    if (Math.abs(now - Number(time) * 1000) > TOLERANCE_MS) return false;
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64");
    // While a sender changes its secret it signs with both.
    return (signatures ?? "").split(" ").some((each) => same(each, `v1,${expected}`));
  },
};

const signed = (given: string | undefined, prefix: string, secret: string, body: Uint8Array): boolean => {
  if (given?.startsWith(prefix) !== true) return false;
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  return same(given.slice(prefix.length).toLowerCase(), expected);
};

/** In a time that tells nothing of either; digests are compared, so that not even the lengths show. */
const same = (given: string | undefined, expected: string): boolean =>
  given !== undefined && timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
