import type { Agent } from "./agent.ts";
import { agents } from "./agents/registry.ts";
import type { AgentName } from "./item.ts";
import { object, string } from "./jsonline.ts";
import { createLineSplitter, type SplitLine } from "./lines.ts";
import { droppedLineMarker } from "./marker.ts";
import type { JsonValue, LineReader, ReaderOptions, ReadSink } from "./reader.ts";
import { createRedactor, type LineRedactor, type Redactor, type RuleFile } from "./redact/index.ts";

export interface NormalizerOptions extends ReaderOptions {
  /** Whose stream it is; `auto` finds out from the first lines. */
  agent: AgentName | "auto";
  /** Known secret values, masked beside everything the rules find. */
  secrets?: readonly string[];
  /** Rule files that mask beside the built-in rules. */
  rules?: readonly RuleFile[];
  /** Masks in place of the built-in redactor; `secrets` and `rules` are then its maker's business. */
  redactor?: Redactor;
}

/** Reads an agent's structured stream from bytes: lines, masked once, as items. It never throws on what it is given. */
export interface Normalizer {
  push(bytes: Uint8Array, sink: ReadSink): void;
  /** The stream has ended: the last line is read, and open calls are given out as unanswered. */
  end(sink: ReadSink): void;
  /** The agent, once it is known. */
  readonly agent: AgentName | undefined;
  /**
   * A snapshot after whole lines: `{position, …}`. A normalizer made from it goes on when it is pushed the bytes from
   * `position` on.
   */
  state(): JsonValue;
}

/** Lines that `auto` looks at before it gives up; they are read once the agent is known. */
const detectLines = 50;

/** Makes a normalizer. Throws a `RangeError` when the named agent has no structured stream. */
export const createNormalizer = (options: NormalizerOptions): Normalizer => new StreamNormalizer(options);

class StreamNormalizer implements Normalizer {
  readonly #options: NormalizerOptions;
  readonly #splitter;
  readonly #mask: LineRedactor;
  #agent: Agent | undefined;
  #reader: LineReader | undefined;
  /** Masked lines that came before the agent was known. */
  #waiting: string[] = [];

  constructor(options: NormalizerOptions) {
    const saved = object(options.state);
    this.#options = options;
    this.#splitter = createLineSplitter({ offset: Number(saved?.["position"] ?? 0) });
    this.#agent = agents.find(({ name }) => name === (string(saved?.["agent"]) ?? options.agent));
    if (this.#agent === undefined && options.agent !== "auto") throw unreadable(options.agent);
    const idPaths = this.#agent?.idPaths ?? agents.flatMap((agent) => agent.idPaths);
    const { secrets = [], rules = [] } = options;
    const redactor = options.redactor ?? createRedactor({ values: secrets, idPaths, rules });
    this.#mask = redactor.lines(saved?.["mask"]);
    if (this.#agent !== undefined) this.#reader = this.#readerOf(this.#agent, saved?.["reader"]);
  }

  get agent(): AgentName | undefined {
    return this.#agent?.name;
  }

  push(bytes: Uint8Array, sink: ReadSink): void {
    for (const line of this.#splitter.push(bytes)) this.#line(line, sink);
  }

  end(sink: ReadSink): void {
    for (const line of this.#splitter.end()) this.#line(line, sink);
    if (this.#reader === undefined) this.#giveUp(sink);
    this.#reader?.finish(sink);
  }

  #line(line: SplitLine, sink: ReadSink): void {
    const text =
      "dropped" in line ? droppedLineMarker("stdout", line.bytes, line.limit) : this.#mask.json(line.text);
    if (this.#reader !== undefined) return this.#reader.line(text, sink);
    this.#waiting.push(text);
    const found = agents.find((agent) => agent.stream?.detect(text));
    if (found !== undefined) this.#begin(found, sink);
    else if (this.#waiting.length >= detectLines) this.#giveUp(sink);
    return undefined;
  }

  #begin(agent: Agent, sink: ReadSink): void {
    this.#agent = agent;
    this.#reader = this.#readerOf(agent, undefined);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const text of waiting) this.#reader.line(text, sink);
  }

  /** No agent wrote these lines: they are reported, not lost. */
  #giveUp(sink: ReadSink): void {
    for (const text of this.#waiting) {
      sink.unread?.({ reason: "not_json", text: text.slice(0, 64 * 1024), bytes: Buffer.byteLength(text) });
    }
    this.#waiting = [];
  }

  #readerOf(agent: Agent, state: JsonValue | undefined): LineReader {
    if (agent.stream === undefined) throw unreadable(agent.name);
    const { cwd, home } = this.#options;
    return agent.stream.reader({
      ...(state === undefined ? {} : { state }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(home === undefined ? {} : { home }),
    });
  }

  state(): JsonValue {
    return {
      position: this.#splitter.position,
      mask: this.#mask.state(),
      ...(this.#agent === undefined ? {} : { agent: this.#agent.name }),
      ...(this.#reader === undefined ? {} : { reader: this.#reader.state() }),
    };
  }
}

const unreadable = (name: string): RangeError =>
  new RangeError(
    `${name} has no structured stream that can be read; there are ${agents
      .filter((agent) => agent.stream !== undefined)
      .map((agent) => agent.name)
      .join(", ")}`,
  );
