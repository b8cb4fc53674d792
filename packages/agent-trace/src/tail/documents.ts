import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { AgentName, TraceItem } from "../item.ts";
import { object, parseJson, string, type JsonObject } from "../jsonline.ts";
import { identifyDocument } from "../read/identify.ts";
import { transcriptOptions, type ReadOptions } from "../read/read-path.ts";
import type { JsonValue, ReadSink } from "../reader.ts";

/** Longest document that is followed: each change of it is read whole. */
const documentLimit = 64 * 1024 * 1024;

/** Most items whose last state is remembered; what lies beyond is given out again at each change. */
const rememberedLimit = 5000;

/** What one look at a document gave. */
export interface DocumentReading {
  agent: AgentName;
  bytes: number;
  /** What the next look must know. */
  state: JsonValue;
}

/**
 * Reads a document that its agent writes whole at each step, and gives out what is new or changed since the last look.
 * Undefined when the file holds no agent's document: a half-written one is read at the next look.
 */
export const pollDocument = (
  path: string,
  saved: JsonValue | undefined,
  sink: ReadSink,
  options: ReadOptions,
): DocumentReading | undefined => {
  const { size } = statSync(path);
  if (size > documentLimit) throw new Error(`a document of ${size} bytes`);
  const document = parseJson(readFileSync(path, "utf8"));
  const found = document === undefined ? undefined : identifyDocument(path, document, options.agent);
  if (found === undefined || document === undefined) return undefined;
  const memory = new ItemMemory(saved);
  const fresh: ReadSink = {
    ...sink,
    item: (item) => {
      if (memory.isNew(item)) sink.item(item);
    },
  };
  found.transcript.read(document, fresh, transcriptOptions(found.agent, path, options));
  return { agent: found.agent.name, bytes: size, state: memory.state() };
};

/** The session of a document that is gone: the one that its last look gave out. */
export const sessionOfDocument = (saved: JsonValue): string | undefined => string(object(saved)?.["session"]);

/** What was given out of a document, so that an unchanged item is not given out again with a higher revision. */
class ItemMemory {
  readonly #before: JsonObject;
  readonly #now = new Map<string, string>();
  #session: string | undefined;

  constructor(saved: JsonValue | undefined) {
    this.#before = object(object(saved)?.["items"]) ?? {};
    this.#session = saved === undefined ? undefined : sessionOfDocument(saved);
  }

  isNew(item: TraceItem): boolean {
    this.#session ??= item.sessionId;
    const { rev: _rev, ...said } = item;
    const identity = `${item.type} ${item.key} ${item.sessionId}`;
    const digest = createHash("sha256").update(JSON.stringify(said)).digest("base64url").slice(0, 16);
    if (this.#now.size < rememberedLimit) this.#now.set(identity, digest);
    return this.#before[identity] !== digest;
  }

  state(): JsonObject {
    return {
      items: Object.fromEntries(this.#now),
      ...(this.#session === undefined ? {} : { session: this.#session }),
    };
  }
}
