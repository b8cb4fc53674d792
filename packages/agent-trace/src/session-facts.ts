import type { McpServer, ServedModel, SessionItem, Timestamp } from "./item.ts";
import { count, object, objects, string, strings, type JsonObject } from "./jsonline.ts";
import { present } from "./present.ts";
import type { JsonValue } from "./reader.ts";

/** What can be known of a session. */
export type Facts = Omit<
  SessionItem,
  "v" | "sessionId" | "key" | "rev" | "seq" | "at" | "atObserved" | "turn" | "type" | "agent"
>;

const textFacts = [
  "agentVersion",
  "parentSessionId",
  "parentCallId",
  "forkedFrom",
  "cwd",
  "gitBranch",
  "title",
] as const;

/** Most different models, tools and servers kept of one session. */
const listLimit = 500;

/** A session's facts, and whether they hold something that was not given out yet. */
export class SessionFacts {
  #known: Facts;
  #changed: boolean;
  #seq: number | undefined;

  constructor(saved: JsonValue | undefined) {
    const state = object(saved);
    this.#known = savedFacts(object(state?.["known"]));
    this.#changed = state?.["changed"] === true;
    this.#seq = count(state?.["seq"]);
  }

  get known(): Readonly<Facts> {
    return this.#known;
  }

  /** The session's number in the order of starts, taken when it is first given out. */
  seq(next: () => number): number {
    this.#seq ??= next();
    return this.#seq;
  }

  touch(at: Timestamp | undefined): void {
    if (at === undefined) return;
    const { startedAt, endedAt } = this.#known;
    if (startedAt === undefined || at < startedAt) this.#set("startedAt", at);
    if (endedAt === undefined || at > endedAt) this.#set("endedAt", at);
  }

  /** Returns whether anything but a time was new. */
  learn(facts: Partial<Facts>): boolean {
    this.touch(facts.startedAt);
    this.touch(facts.endedAt);
    let learned = this.#seq === undefined;
    for (const name of textFacts) {
      const value = facts[name];
      if (value === undefined || value === this.#known[name]) continue;
      this.#set(name, value);
      learned = true;
    }
    if (this.#learnLists(facts)) learned = true;
    if (learned) this.#changed = true;
    return learned;
  }

  #learnLists(facts: Partial<Facts>): boolean {
    const models = union(
      this.#known.models,
      facts.models,
      (model) => `${model.model} ${model.provider ?? ""}`,
    );
    const tools = union(this.#known.tools, facts.tools, (tool) => tool);
    const servers = union(
      this.#known.mcpServers,
      facts.mcpServers,
      (server) => `${server.name} ${server.status ?? ""}`,
    );
    if (models !== undefined) this.#known = { ...this.#known, models };
    if (tools !== undefined) this.#known = { ...this.#known, tools };
    if (servers !== undefined) this.#known = { ...this.#known, mcpServers: servers };
    return models !== undefined || tools !== undefined || servers !== undefined;
  }

  #set<Name extends keyof Facts>(name: Name, value: Facts[Name]): void {
    this.#known = { ...this.#known, [name]: value };
    this.#changed = true;
  }

  /** Whether there is something to give out; from then on there is not. */
  takeChange(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  state(): JsonObject {
    const { models, mcpServers, ...rest } = this.#known;
    return {
      known: {
        ...rest,
        ...(models === undefined ? {} : { models: models.map((model) => ({ ...model })) }),
        ...(mcpServers === undefined ? {} : { mcpServers: mcpServers.map((server) => ({ ...server })) }),
      },
      changed: this.#changed,
      ...(this.#seq === undefined ? {} : { seq: this.#seq }),
    };
  }
}

/** The known list with what is new in the other, or undefined when nothing is. An empty list is a fact of its own. */
const union = <T>(
  known: T[] | undefined,
  more: T[] | undefined,
  id: (value: T) => string,
): T[] | undefined => {
  if (more === undefined) return undefined;
  const seen = new Set((known ?? []).map(id));
  const fresh = more.filter((value) => !seen.has(id(value)));
  if (known !== undefined && (fresh.length === 0 || known.length >= listLimit)) return undefined;
  return [...(known ?? []), ...fresh].slice(0, listLimit);
};

const savedFacts = (saved: JsonObject | undefined): Facts => {
  if (saved === undefined) return {};
  const texts: Partial<Record<(typeof textFacts)[number] | "startedAt" | "endedAt", string>> = {};
  for (const name of [...textFacts, "startedAt", "endedAt"] as const) {
    const value = string(saved[name]);
    if (value !== undefined) texts[name] = value;
  }
  const models = saved["models"] === undefined ? undefined : objects(saved["models"]).flatMap(savedModel);
  const mcpServers =
    saved["mcpServers"] === undefined ? undefined : objects(saved["mcpServers"]).flatMap(savedServer);
  return { ...texts, ...present({ models, mcpServers, tools: strings(saved["tools"]) }) };
};

const savedModel = (saved: JsonObject): ServedModel[] => {
  const model = string(saved["model"]);
  return model === undefined ? [] : [present({ model, provider: string(saved["provider"]) })];
};

const savedServer = (saved: JsonObject): McpServer[] => {
  const name = string(saved["name"]);
  return name === undefined ? [] : [present({ name, status: string(saved["status"]) })];
};
