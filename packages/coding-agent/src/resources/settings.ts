import { arr, bool, compile, int, map, obj, oneOf, opt, str } from "@earendil-works/pi-schema";
import { DEFAULT_SETTINGS, type SettingsOverrides } from "../agent/settings.ts";
import type { FileSystemCapability } from "../capabilities/types.ts";
import { isJsonObject, parseJson } from "../json.ts";
import type { JsonObject, JsonValue } from "../message.ts";
import type { ThinkingLevel } from "../session/entry.ts";
import type { PermissionRule } from "./permissions.ts";
import { readIfThere } from "./places.ts";

export const THINKING_LEVELS: readonly ThinkingLevel[] = [
  "off",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
];

const count = () => opt(int({ minimum: 0 }));

const schema = obj(
  {
    provider: opt(str({ minLength: 1 })),
    model: opt(str({ minLength: 1 })),
    thinkingLevel: opt(oneOf(["off", "minimal", "low", "medium", "high", "xhigh", "max"])),
    tools: opt(arr(str())),
    extensions: opt(arr(str({ minLength: 1 }))),
    maxTurns: opt(int({ minimum: 1 })),
    idleTimeoutMs: opt(int({ minimum: 1 })),
    extensionTimeoutMs: opt(int({ minimum: 1 })),
    retry: opt(obj({ maxRetries: count(), baseDelayMs: count(), maxDelayMs: count() })),
    compaction: opt(obj({ enabled: opt(bool()), reserveTokens: count(), keepRecentTokens: count() })),
    permissions: opt(
      arr(
        obj({
          tool: str({ minLength: 1 }),
          matches: opt(map(str())),
          decision: oneOf(["allow", "ask", "deny"]),
          reason: opt(str()),
        }),
      ),
    ),
  },
  { open: true },
);

/** What the user's and the project's `settings.json` may say. Keys we do not know are kept for `inspect`, and mean nothing. */
export interface FileSettings extends SettingsOverrides {
  provider?: string;
  model?: string;
  thinkingLevel?: ThinkingLevel;
  /** Names of the tools that are on. */
  tools?: string[];
  /** Paths of extensions, relative to the file that names them. */
  extensions?: string[];
  permissions?: PermissionRule[];
}

export type SettingScope = "default" | "global" | "project";

/** One setting that is in force, and where it comes from. Nested ones have a key such as `retry.maxRetries`. */
export interface EffectiveSetting {
  key: string;
  scope: SettingScope;
  value: JsonValue;
}

const validator = compile(schema);

/** Reads one settings file; undefined when it is not there. Its complaint names file and place. */
export const readSettings = async (
  fs: FileSystemCapability,
  path: string,
): Promise<JsonObject | undefined> => {
  const text = await readIfThere(fs, path);
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  if (!isJsonObject(parsed)) throw new Error(`${path}: not a JSON object of settings`);
  const result = validator.validate(parsed);
  if (result.ok) return parsed;
  const [error] = result.errors;
  throw new Error(`${path}: ${(error?.path ?? "").slice(1).replaceAll("/", ".")} ${error?.message ?? ""}`);
};

/** One object laid over another, key by key to the last level; a list replaces a list. */
const merge = (below: JsonObject, above: JsonObject): JsonObject => {
  const merged = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = merged[key];
    merged[key] = isJsonObject(under) && isJsonObject(value) ? merge(under, value) : value;
  }
  return merged;
};

const leaves = (value: JsonObject, prefix = ""): [string, JsonValue][] =>
  Object.entries(value).flatMap(([key, inner]) =>
    isJsonObject(inner) ? leaves(inner, `${prefix}${key}.`) : [[prefix + key, inner]],
  );

const DEFAULTS: JsonObject = {
  ...DEFAULT_SETTINGS,
  retry: { ...DEFAULT_SETTINGS.retry },
  compaction: { ...DEFAULT_SETTINGS.compaction },
};

/** Settings of all scopes in one: the project's over the user's over the defaults. */
export const combineSettings = (
  global: JsonObject = {},
  project: JsonObject = {},
): { settings: FileSettings; effective: EffectiveSetting[] } => {
  const scopes = [
    ["project", leaves(project)],
    ["global", leaves(global)],
    ["default", leaves(DEFAULTS)],
  ] as const;
  const effective = new Map<string, EffectiveSetting>();
  for (const [scope, entries] of scopes)
    for (const [key, value] of entries) if (!effective.has(key)) effective.set(key, { key, scope, value });
  return {
    // Each file was validated; what is merged of them has the same types.
    settings: merge(global, project),
    effective: [...effective.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
};
