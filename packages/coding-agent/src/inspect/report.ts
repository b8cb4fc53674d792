import type { AgentSession } from "../agent/session.ts";
import type { ExtensionEventName } from "../extensions/events.ts";
import type { JsonValue } from "../message.ts";
import { type MaskText, redactValue } from "../record/redact.ts";
import type { EffectiveSetting } from "../resources/settings.ts";
import { VERSION } from "../version.ts";
import { canonicalJson, sha256 } from "./canonical.ts";
import { type PromptSection, promptSections } from "./sections.ts";

export const INSPECT_VERSION = "orphus.inspect.runtime.v1";

/** The assembled runtime. Everything is sorted: two runs of one configuration give the same bytes. */
export interface RuntimeReport {
  version: typeof INSPECT_VERSION;
  appVersion: string;
  /** Null when none is chosen. */
  model: { provider: string; id: string; api: string; name: string; thinkingLevel: string } | null;
  /** The seven names with the kind of each. */
  capabilities: Record<string, string>;
  tools: { name: string; active: boolean; source: string; schemaSha256: string }[];
  extensions: {
    path: string;
    source: string;
    events: { event: ExtensionEventName; handlers: number }[];
  }[];
  /** Per event the extensions that hear it, in the order they run in, which is the order they were loaded in. */
  hookOrder: { event: ExtensionEventName; order: string[] }[];
  flags: { name: string; owner: string; origin: string; value?: JsonValue; explicit: boolean }[];
  settings: EffectiveSetting[];
  systemPrompt: { sha256: string; byteLength: number; sections: PromptSection[]; content?: string };
}

export interface InspectOptions {
  settings: readonly EffectiveSetting[];
  includeContent: boolean;
  /** Masks credentials by their shape. */
  mask: MaskText;
}

const by =
  <T>(key: (item: T) => string) =>
  (a: T, b: T): number => {
    const [left, right] = [key(a), key(b)];
    return left < right ? -1 : Number(left > right);
  };

const extensionsOf = ({ extensions, registry }: AgentSession): RuntimeReport["extensions"] =>
  extensions
    .map(({ name, source }) => {
      const counts = new Map<ExtensionEventName, number>();
      for (const { owner, event } of registry.handlers)
        if (owner === name) counts.set(event, (counts.get(event) ?? 0) + 1);
      const events = [...counts].map(([event, handlers]) => ({ event, handlers }));
      return { path: name, source, events: events.sort(by(({ event }) => event)) };
    })
    .sort(by(({ path }) => path));

const hookOrderOf = ({ registry }: AgentSession): RuntimeReport["hookOrder"] => {
  const order = new Map<ExtensionEventName, Set<string>>();
  for (const { owner, event } of registry.handlers)
    order.set(event, (order.get(event) ?? new Set<string>()).add(owner));
  return [...order].map(([event, owners]) => ({ event, order: [...owners] })).sort(by(({ event }) => event));
};

/** A flag is a setting by its name: `--flag apiKey=…` is as secret as a setting of that name. */
const redacted = (key: string, value: JsonValue, mask: MaskText): JsonValue => {
  const nested = key.split(".").reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
  return key.split(".").reduce<JsonValue>((outer, name) => {
    // What stands in the place of a credential is a string, and holds nothing further.
    if (typeof outer !== "object" || outer === null || Array.isArray(outer)) return outer;
    return outer[name] ?? null;
  }, redactValue(nested, mask).value);
};

const flagsOf = ({ extensions, registry }: AgentSession, mask: MaskText): RuntimeReport["flags"] =>
  [...registry.flags]
    .map(([name, { owner }]) => {
      const value = registry.flagValues.get(name);
      return {
        name,
        owner,
        origin: extensions.find((one) => one.name === owner)?.source ?? "inline",
        ...(value === undefined ? {} : { value: redacted(name, value, mask) }),
        explicit: registry.explicitFlags.has(name),
      };
    })
    .sort(by(({ name }) => name));

/** Describes a composed session. Nothing is dispatched. */
export const inspectRuntime = (
  session: AgentSession,
  { settings, includeContent, mask }: InspectOptions,
): RuntimeReport => {
  const { model, thinkingLevel, systemPrompt, capabilities } = session;
  return {
    version: INSPECT_VERSION,
    appVersion: VERSION,
    model:
      model === null
        ? null
        : { provider: model.provider, id: model.id, api: model.api, name: model.name, thinkingLevel },
    capabilities: Object.fromEntries(
      Object.entries(capabilities)
        .map(([name, { kind }]): [string, string] => [name, kind])
        .sort(by(([name]) => name)),
    ),
    tools: session.tools
      .map(({ tool, active, source }) => ({
        name: tool.name,
        active,
        source,
        schemaSha256: sha256(canonicalJson(tool.parameters)),
      }))
      .sort(by(({ name }) => name)),
    extensions: extensionsOf(session),
    hookOrder: hookOrderOf(session),
    flags: flagsOf(session, mask),
    settings: settings
      .map(({ key, scope, value }) => ({ key, scope, value: redacted(key, value, mask) }))
      .sort(by(({ key }) => key)),
    systemPrompt: {
      sha256: sha256(systemPrompt),
      byteLength: Buffer.byteLength(systemPrompt),
      sections: promptSections(systemPrompt),
      ...(includeContent ? { content: mask(systemPrompt) } : {}),
    },
  };
};
