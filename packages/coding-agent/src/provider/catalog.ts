import {
  type Api,
  createModels,
  createProvider,
  InMemoryCredentialStore,
  InMemoryModelsStore,
  type Model,
  type MutableModels,
} from "@earendil-works/pi-ai";
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { googleGenerativeAIApi } from "@earendil-works/pi-ai/api/google-generative-ai.lazy";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { openAIResponsesApi } from "@earendil-works/pi-ai/api/openai-responses.lazy";
import { createModelProvider } from "./stream.ts";
import type { ModelInfo, ModelProvider, ProviderConfig } from "./types.ts";

export interface ModelSelection {
  provider: string;
  model: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A provider or model that cannot be used; the message says what can. */
export class ModelUnavailableError extends Error {
  override name = "ModelUnavailableError";
}

/** Wire formats whose requests do not go through our transport, so that nothing could record them. */
const UNRECORDABLE_APIS = new Set(["bedrock-converse-stream", "openai-codex-responses"]);

/** Environment variables that point a provider at another address. */
const BASE_URL_ENV: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_BASE_URL",
  openai: "OPENAI_BASE_URL",
};

/** Asked for models by any name: `--provider openai-compatible`, at `OPENAI_BASE_URL`. */
const OPENAI_COMPATIBLE = "openai-compatible";

const APIS = {
  "anthropic-messages": anthropicMessagesApi,
  "openai-completions": openAICompletionsApi,
  "openai-responses": openAIResponsesApi,
  "google-generative-ai": googleGenerativeAIApi,
};

const API_NAMES: readonly ProviderConfig["api"][] = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
];

const ZERO_PRICES = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 8_192;

/** The library's own world: the given environment, and stores in memory instead of the user's files. */
const libraryWorld = (env: Environment) => ({
  authContext: { env: async (name: string) => env[name], fileExists: async () => false },
  credentials: new InMemoryCredentialStore(),
  modelsStore: new InMemoryModelsStore(),
});

/** A price list of zeros is what the library has where it knows no prices. */
const toModelInfo = (model: Model<Api>): ModelInfo => {
  const { input, output, cacheRead, cacheWrite } = model.cost;
  const known = input + output + cacheRead + cacheWrite > 0;
  return {
    id: model.id,
    name: model.name,
    provider: model.provider,
    api: model.api,
    baseUrl: model.baseUrl,
    ...(known ? { prices: { input, output, cacheRead, cacheWrite } } : {}),
    reasoning: model.reasoning,
    contextWindow: model.contextWindow,
    maxTokens: model.maxTokens,
  };
};

/** A model with the key it takes, apart from every other provider. */
const withKey = (
  model: Model<Api>,
  api: ProviderConfig["api"],
  info: ModelInfo,
  apiKey: string,
): ModelProvider => {
  const { provider: id, baseUrl } = model;
  const models = createModels(libraryWorld({}));
  const auth = { apiKey: { name: id, resolve: async () => ({ auth: { apiKey } }) } };
  models.setProvider(createProvider({ id, baseUrl, auth, models: [model], api: APIS[api]() }));
  return createModelProvider(models, model, info);
};

/** A provider from its description, with the key it takes. */
export const customProvider = (
  name: string,
  config: ProviderConfig,
  modelId: string,
  apiKey: string,
): ModelProvider => {
  const described = config.models.find(({ id }) => id === modelId);
  if (described === undefined)
    throw new ModelUnavailableError(
      `Provider ${name} has no model ${modelId}. It has: ${config.models.map(({ id }) => id).join(", ")}.`,
    );
  const model: Model<Api> = {
    id: modelId,
    name: described.name ?? modelId,
    api: config.api,
    provider: name,
    baseUrl: config.baseUrl,
    reasoning: described.reasoning ?? false,
    input: ["text"],
    cost: described.prices ?? ZERO_PRICES,
    contextWindow: described.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
    maxTokens: described.maxTokens ?? DEFAULT_MAX_TOKENS,
  };
  const { prices: _, ...info } = toModelInfo(model);
  const prices = described.prices === undefined ? {} : { prices: described.prices };
  return withKey(model, config.api, { ...info, ...prices }, apiKey);
};

/**
 * A model as a session recorded it, for asking it again without a key and without the network. Undefined when its wire
 * format cannot be spoken that way.
 */
export const recordedProvider = async (info: ModelInfo): Promise<ModelProvider | undefined> => {
  const api = API_NAMES.find((name) => name === info.api);
  if (api === undefined) return undefined;
  const { builtinModels } = await import("@earendil-works/pi-ai/providers/all");
  // What the library knows of a model shapes what is sent to it; a model it does not know is described by the record.
  const known = builtinModels(libraryWorld({})).getModel(info.provider, info.id);
  const { id, name, provider, baseUrl, prices, reasoning, contextWindow, maxTokens } = info;
  const model: Model<Api> =
    known?.api === api
      ? { ...known, baseUrl }
      : {
          id,
          name,
          api,
          provider,
          baseUrl,
          reasoning,
          input: ["text"],
          cost: prices ?? ZERO_PRICES,
          contextWindow,
          maxTokens,
        };
  return withKey(model, api, info, "none");
};

const compatibleProvider = (modelId: string, env: Environment): ModelProvider => {
  const baseUrl = env["OPENAI_BASE_URL"];
  if (baseUrl === undefined)
    throw new ModelUnavailableError(
      `--provider ${OPENAI_COMPATIBLE} needs the server's address: set OPENAI_BASE_URL, such as http://127.0.0.1:8080/v1.`,
    );
  const config: ProviderConfig = { api: "openai-completions", baseUrl, models: [{ id: modelId }] };
  return customProvider(OPENAI_COMPATIBLE, config, modelId, env["OPENAI_API_KEY"] ?? "none");
};

const describeModels = (models: MutableModels, provider: string): string => {
  const known = models.getModels(provider).map(({ id }) => id);
  const shown = known.slice(0, 12).join(", ");
  return known.length > 12 ? `${shown} and ${known.length - 12} more` : shown;
};

const catalogProvider = async (
  { provider, model }: ModelSelection,
  env: Environment,
): Promise<ModelProvider> => {
  // The catalog of all providers takes a quarter of a second to load; nobody else waits for it.
  const { builtinModels } = await import("@earendil-works/pi-ai/providers/all");
  const models = builtinModels(libraryWorld(env));
  if (models.getProvider(provider) === undefined) {
    const known = models.getProviders().map(({ id }) => id);
    throw new ModelUnavailableError(
      `No provider is named ${provider}. Known: scripted, ${OPENAI_COMPATIBLE}, ${known.join(", ")}.`,
    );
  }
  const found = models.getModel(provider, model);
  if (found === undefined)
    throw new ModelUnavailableError(
      `Provider ${provider} has no model ${model}. It has: ${describeModels(models, provider)}.`,
    );
  if (UNRECORDABLE_APIS.has(found.api))
    throw new ModelUnavailableError(
      `${provider} speaks ${found.api}, whose requests cannot be recorded as they are sent. Choose another provider of the model.`,
    );
  if ((await models.checkAuth(provider)) === undefined)
    throw new ModelUnavailableError(
      `Provider ${provider} has no key. Set its environment variable, such as ${provider.toUpperCase().replaceAll("-", "_")}_API_KEY.`,
    );
  const baseUrl = env[BASE_URL_ENV[provider] ?? ""];
  const asked = baseUrl === undefined ? found : { ...found, baseUrl };
  return createModelProvider(models, asked, toModelInfo(asked));
};

/** Finds a model: an extension's own provider, an OpenAI-compatible server, or one of the library's catalog. */
export const resolveModel = async (
  selection: ModelSelection,
  env: Environment,
  custom: ReadonlyMap<string, ProviderConfig>,
): Promise<ModelProvider> => {
  const config = custom.get(selection.provider);
  if (config !== undefined) {
    const apiKey = config.apiKeyEnv === undefined ? "none" : env[config.apiKeyEnv];
    if (apiKey === undefined)
      throw new ModelUnavailableError(`Provider ${selection.provider} has no key. Set ${config.apiKeyEnv}.`);
    return customProvider(selection.provider, config, selection.model, apiKey);
  }
  if (selection.provider === OPENAI_COMPATIBLE) return compatibleProvider(selection.model, env);
  return catalogProvider(selection, env);
};

/** The models of the catalog whose `provider/id` or name holds a text, sorted; those that cannot be recorded are left out. */
export const listModels = async (search: string): Promise<ModelInfo[]> => {
  const { builtinModels } = await import("@earendil-works/pi-ai/providers/all");
  const models = builtinModels(libraryWorld({}));
  const wanted = search.toLowerCase();
  return models
    .getProviders()
    .flatMap(({ id }) => models.getModels(id))
    .filter(({ api }) => !UNRECORDABLE_APIS.has(api))
    .map(toModelInfo)
    .filter(({ provider, id, name }) => `${provider}/${id} ${name}`.toLowerCase().includes(wanted))
    .sort((a, b) => (`${a.provider}/${a.id}` < `${b.provider}/${b.id}` ? -1 : 1));
};
