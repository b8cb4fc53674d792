import type { WebhookDefinition } from "../config/definition.ts";
import { isJsonObject } from "./envelope.ts";
import type { Delivery } from "./verify.ts";

/** What a sender calls its event and its delivery. */
interface Named {
  event?: string;
  id?: string;
}

interface Names {
  event?: string;
  /** The first that is there; a repeated delivery has the same. */
  delivery: readonly string[];
}

/** Where senders have the name of the event and the id of the delivery. */
const USUAL: Readonly<Record<WebhookDefinition["verify"], Names>> = {
  bearer: { event: "x-event", delivery: ["idempotency-key", "x-delivery-id"] },
  "hmac-sha256": { event: "x-event", delivery: ["idempotency-key", "x-delivery-id"] },
  github: { event: "x-github-event", delivery: ["x-github-delivery"] },
  gitea: { event: "x-gitea-event", delivery: ["x-gitea-delivery"] },
  gitlab: { event: "x-gitlab-event", delivery: ["idempotency-key", "x-gitlab-event-uuid"] },
  "standard-webhooks": { delivery: ["webhook-id"] },
};

const LONGEST = 200;

/** Name and id of a delivery, as far as they are there and of a length that is one. */
export const namesOf = ({ headers }: Delivery, webhook: WebhookDefinition, body: unknown): Named => {
  const usual = USUAL[webhook.verify];
  const eventHeader = webhook.eventHeader ?? usual.event;
  const deliveries = webhook.deliveryHeader === undefined ? usual.delivery : [webhook.deliveryHeader];
  const event = eventHeader === undefined ? typeOf(body) : headers[eventHeader];
  const id = deliveries.map((name) => headers[name]).find((value) => value !== undefined);
  return {
    ...(event !== undefined && { event: event.slice(0, LONGEST) }),
    ...(id !== undefined && id.length <= LONGEST && { id }),
  };
};

/** A standard webhook names its event in its body. */
const typeOf = (body: unknown): string | undefined =>
  isJsonObject(body) && typeof body["type"] === "string" ? body["type"] : undefined;
