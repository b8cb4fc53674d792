import type { Message } from "../message.ts";
import { messageOf, modelContext } from "../session/context.ts";
import type { SessionEntry } from "../session/entry.ts";
import { putQuestion } from "./question.ts";
import type { Tally } from "./tally.ts";
import type { AgentWorld } from "./world.ts";

/** A rough measure that needs no tokenizer: English text and code have about four characters to a token. */
const CHARACTERS_PER_TOKEN = 4;

const SYSTEM_PROMPT =
  "You sum up conversations between a user and a coding agent, so that another agent can go on.";

const REQUEST = [
  "Sum up the conversation above for an agent that goes on with it and sees nothing else of it. Keep: what the user",
  "wants, decisions and why, files that were read or changed with their paths, what was tried and failed, what is",
  "left to do. Be exact with names, paths, commands and numbers. Answer with the summary alone.",
].join(" ");

const estimate = (message: Message): number => {
  const text = message.content
    .map((block) => ("text" in block ? block.text : block.type === "image" ? "" : JSON.stringify(block)))
    .join("");
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
};

/** Tokens of what the model would see now: as it last counted them itself, and an estimate of what came since. */
export const contextTokens = (branch: readonly SessionEntry[]): number => {
  const messages = modelContext(branch);
  const compactedAt = branch.findLastIndex((entry) => entry.type === "compaction");
  const countedAt = messages.findLastIndex(
    (message) => message.role === "assistant" && message.usage !== undefined,
  );
  const counted = messages[countedAt];
  const countedEntry = branch.findLastIndex((entry) => entry.type === "message" && entry.message === counted);
  // What was counted before a compaction speaks of a longer conversation.
  if (counted?.role !== "assistant" || countedEntry < compactedAt)
    return messages.reduce((sum, message) => sum + estimate(message), 0);
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = counted.usage ?? {};
  const since = messages.slice(countedAt + 1).reduce((sum, message) => sum + estimate(message), 0);
  return input + cacheRead + cacheWrite + output + since;
};

/** In a small window neither the reserve nor what is kept may fill it. */
const boundsOf = ({ settings, provider }: AgentWorld) => {
  const quarter = Math.floor(provider.model.contextWindow / 4);
  const { reserveTokens, keepRecentTokens } = settings.compaction;
  return { reserve: Math.min(reserveTokens, quarter), keep: Math.min(keepRecentTokens, quarter) };
};

/** Whether the conversation has come near the end of the model's window. */
export const isNearlyFull = (world: AgentWorld): boolean =>
  world.settings.compaction.enabled &&
  contextTokens(world.log.branch()) > world.provider.model.contextWindow - boundsOf(world).reserve;

/** The first entry that stays as it is: a user or assistant message, so that no result is parted from its call. */
const firstKept = (branch: readonly SessionEntry[], keepTokens: number): number => {
  let tokens = 0;
  let kept = branch.length;
  for (let at = branch.length - 1; at >= 0; at -= 1) {
    const entry = branch[at];
    const message = entry === undefined ? undefined : messageOf(entry);
    if (message === undefined) continue;
    tokens += estimate(message);
    if (tokens > keepTokens && kept < branch.length) break;
    if (message.role !== "toolResult") kept = at;
  }
  return kept;
};

const transcript = (messages: readonly Message[]): string =>
  messages
    .map((message) => {
      const text = message.content
        .map((block) => {
          if (block.type === "text") return block.text;
          if (block.type === "toolCall") return `[calls ${block.name} ${JSON.stringify(block.arguments)}]`;
          return "";
        })
        .join("\n");
      const who = message.role === "toolResult" ? `result of ${message.toolName}` : message.role;
      return `<${who}>\n${text.trim()}\n</${who}>`;
    })
    .join("\n\n");

/**
 * Sums up older history through the model; the request is on record like any other. Returns whether there was anything
 * to sum up. Throws when the model fails.
 */
export const compact = async (world: AgentWorld, signal: AbortSignal, tally: Tally): Promise<boolean> => {
  const branch = world.log.branch();
  const keptAt = firstKept(branch, boundsOf(world).keep);
  const kept = branch[keptAt];
  const older = modelContext(branch.slice(0, keptAt));
  if (kept === undefined || older.length === 0) return false;
  const tokensBefore = contextTokens(branch);
  world.emit({ type: "compaction_start", tokensBefore });
  const timestamp = world.capabilities.clock.now();
  const content = [{ type: "text" as const, text: `${transcript(older)}\n\n${REQUEST}` }];
  const reply = await putQuestion(
    world,
    {
      systemPrompt: SYSTEM_PROMPT,
      messages: [{ role: "user", content, timestamp }],
      tools: [],
      purpose: "compaction",
    },
    signal,
    () => undefined,
  );
  tally.addAside(reply.message, reply.requests);
  const { usage } = reply.message;
  const spent = {
    provider: reply.message.provider,
    model: reply.message.model,
    ...(usage === undefined ? {} : { usage }),
    ...(reply.request === undefined ? {} : { request: reply.request }),
  };
  const summary = reply.message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (reply.error !== undefined || summary.trim() === "") {
    await reply.settle();
    const error = reply.error ?? { kind: "unknown" as const, message: "the model gave no summary" };
    world.emit({ type: "compaction_end", tokensBefore, ...spent, error });
    throw new Error(`compaction failed: ${error.message}`);
  }
  const { id } = await world.log.append({
    type: "compaction",
    summary,
    firstKeptEntryId: kept.id,
    tokensBefore,
    ...spent,
  });
  await reply.settle();
  world.emit({ type: "compaction_end", entryId: id, tokensBefore, ...spent });
  return true;
};
