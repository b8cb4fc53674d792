import type { Clock } from "../base/clock.ts";
import { HarnessError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Config, HarnessDefinition, WebhookDefinition } from "../config/definition.ts";
import { readSecret } from "../config/secret.ts";
import type { RunRecord, RunRef } from "../store/read.ts";
import type { Firing } from "../supervise/firing.ts";
import type { Decision } from "../supervise/run-starter.ts";
import { bodyOf, eventText } from "./envelope.ts";
import { rateLimit, type RateLimit } from "./rate.ts";
import { namesOf } from "./sender.ts";
import { isGenuine, type Delivery } from "./verify.ts";

export interface WebhooksDeps {
  clock: Clock;
  log: Log;
  /** Starts a run, lets it wait, or records why there is none. */
  start(definition: HarnessDefinition, firing: Firing): Promise<{ ref: RunRef }>;
  run(ref: RunRef): RunRecord | undefined;
  /** Whether the operator has stopped it: events start nothing until it is started. */
  paused(harness: string): boolean;
  /** Records a firing that starts nothing. */
  record(definition: HarnessDefinition, firing: Firing, decision: Decision): RunRef;
  /** Whether a run was started for this event since then. */
  hasEvent(source: string, eventId: string, since: number): boolean;
  /** Masks within the strings of a line of JSON. */
  mask(line: string): string;
}

/** What a sender is told. */
export interface Reply {
  status: number;
  body: unknown;
  /** Seconds until it may try again. */
  retryAfter?: number;
}

type Fate = "started" | "queued" | "skipped" | "paused" | "error";

interface Hook {
  definition: WebhookDefinition;
  limit: RateLimit;
  /** The harnesses that its events start. */
  harnesses: HarnessDefinition[];
}

/** A delivery that comes again within this time is the same. */
const SAME_MS = 24 * 3_600_000;
/** Most deliveries that are remembered without a run: ignored ones, and those under way. */
const REMEMBERED = 1024;

/** The webhooks of a configuration: takes deliveries and starts runs. */
export class Webhooks {
  readonly #deps: WebhooksDeps;
  #hooks = new Map<string, Hook>();
  readonly #seen = new Map<string, number>();

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
  }

  configure({ webhooks, harnesses }: Pick<Config, "webhooks" | "harnesses">): void {
    const all = [...harnesses.values()];
    const hooks = [...webhooks.values()].map((definition): [string, Hook] => [
      definition.name,
      {
        definition,
        limit: rateLimit(definition.rate),
        harnesses: all.filter((harness) => harness.webhooks.includes(definition.name)),
      },
    ]);
    // What nobody would hear of is as if it were not there.
    this.#hooks = new Map(
      hooks.filter(([, { definition, harnesses: bound }]) => definition.enabled && bound.length > 0),
    );
  }

  /** Whether there is anything to listen for. */
  get any(): boolean {
    return this.#hooks.size > 0;
  }

  /** The most bytes of a body that the hook reads; undefined when there is no such hook. */
  limitOf(name: string): number | undefined {
    return this.#hooks.get(name)?.definition.maxBodyBytes;
  }

  /** Takes a delivery. Never rejects. */
  async deliver(name: string, delivery: Delivery): Promise<Reply> {
    const hook = this.#hooks.get(name);
    if (hook === undefined) return NOT_FOUND;
    try {
      return await this.#take(hook, delivery);
    } catch (error) {
      this.#deps.log.error(`webhook.${name}: ${error instanceof Error ? error.message : String(error)}`);
      return { status: 500, body: { error: "the delivery could not be taken; try again later" } };
    }
  }

  async #take(hook: Hook, delivery: Delivery): Promise<Reply> {
    const { clock, log } = this.#deps;
    const { definition } = hook;
    const now = clock.now();
    if (!isGenuine(delivery, readSecret(definition.secret), definition, now)) {
      log.warn(`webhook.${definition.name}: a delivery that does not prove its sender was refused`);
      return { status: 401, body: { error: "the delivery does not prove its sender" } };
    }
    const waitMs = hook.limit.take(now);
    if (waitMs > 0) {
      return { status: 429, body: { error: "too many deliveries" }, retryAfter: Math.ceil(waitMs / 1000) };
    }
    const body = bodyOf(delivery.body);
    const { event, id } = namesOf(delivery, definition, body);
    const source = `webhook.${definition.name}`;
    const key = id === undefined ? undefined : `${source} ${id}`;
    if (id !== undefined && this.#isKnown(source, id, now))
      return { status: 202, body: { decision: "duplicate" } };
    if (key !== undefined) this.#remember(key, now);
    if (definition.events !== undefined && !definition.events.includes(event ?? ""))
      return { status: 202, body: { decision: "ignored" } };
    const text = eventText(
      {
        v: 1,
        source,
        ...(event !== undefined && { event }),
        ...(id !== undefined && { id }),
        receivedAt: new Date(now).toISOString(),
        body,
      },
      this.#deps.mask,
    );
    const firing: Firing = {
      trigger: "webhook",
      source,
      event: text,
      ...(id !== undefined && { eventId: id }),
    };
    const harnesses = await this.#fire(hook, firing);
    // Nothing came of it: the sender may try again.
    if (key !== undefined && Object.values(harnesses).every((fate) => fate === "error"))
      this.#seen.delete(key);
    const decision = Object.values(harnesses).every((fate) => fate === "paused") ? "paused" : "fired";
    return { status: 202, body: { decision, harnesses } };
  }

  async #fire(hook: Hook, firing: Firing): Promise<Record<string, Fate>> {
    const fates = hook.harnesses.map(async (harness): Promise<[string, Fate]> => {
      try {
        if (this.#deps.paused(harness.name)) {
          this.#deps.record(harness, firing, {
            outcome: "skipped",
            reason: "paused: the operator stopped it",
          });
          return [harness.name, "paused"];
        }
        const { ref } = await this.#deps.start(harness, firing);
        return [harness.name, fateOf(this.#deps.run(ref))];
      } catch (error) {
        if (!(error instanceof HarnessError)) throw error;
        this.#deps.log.error(`${firing.source ?? ""} cannot start ${harness.name}: ${error.message}`);
        return [harness.name, "error"];
      }
    });
    return Object.fromEntries(await Promise.all(fates));
  }

  #isKnown(source: string, id: string, now: number): boolean {
    const at = this.#seen.get(`${source} ${id}`);
    if (at !== undefined && now - at < SAME_MS) return true;
    return this.#deps.hasEvent(source, id, now - SAME_MS);
  }

  #remember(key: string, now: number): void {
    this.#seen.delete(key);
    this.#seen.set(key, now);
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= REMEMBERED) break;
      this.#seen.delete(oldest);
    }
  }
}

/** The same for a hook that is unknown, off, or bound to nothing. */
export const NOT_FOUND: Reply = { status: 404, body: { error: "there is nothing here" } };

const fateOf = (run: RunRecord | undefined): Fate => {
  if (run === undefined || run.outcome === "failed") return "error";
  if (run.outcome === "skipped") return "skipped";
  return run.outcome === "running" && run.pid === undefined ? "queued" : "started";
};
