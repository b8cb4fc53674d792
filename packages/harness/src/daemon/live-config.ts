import { isDeepStrictEqual } from "node:util";
import type { Log } from "../base/log.ts";
import type { Config } from "../config/definition.ts";
import type { Reloaded } from "../protocol/methods.ts";

/** What a new configuration does to what is running. */
export interface ApplyConfig {
  /** Takes it over; bounces nothing. Resolves to the residents that it has started. */
  apply(config: Config, added: ReadonlySet<string>): Promise<string[]>;
  /** Harnesses whose process was started with another definition. */
  restartToApply(): string[];
}

/** The configuration that is in force: the last one that was good. */
export class LiveConfig {
  readonly #load: () => Promise<Config>;
  readonly #log: Log;
  #now: Config;
  #apply: ApplyConfig | undefined;
  #problem: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(first: Config, load: () => Promise<Config>, log: Log) {
    this.#now = first;
    this.#load = load;
    this.#log = log;
  }

  get now(): Config {
    return this.#now;
  }

  /** What is wrong with the file as it is now, where it could not be taken over. */
  get problem(): string | undefined {
    return this.#problem;
  }

  appliedBy(apply: ApplyConfig): void {
    this.#apply = apply;
  }

  /** Loads the file again, one request after the other. Rejects with what is wrong with it, and then nothing has changed. */
  reload(why: string): Promise<Reloaded> {
    const reloaded = this.#last.then(() => this.#reload(why));
    this.#last = reloaded.catch(() => undefined);
    return reloaded;
  }

  async #reload(why: string): Promise<Reloaded> {
    let next: Config;
    try {
      next = await this.#load();
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#log.error(`${why}: the configuration is refused, and the one before stays: ${this.#problem}`);
      throw error;
    }
    this.#problem = undefined;
    const before = this.#now.harnesses;
    const after = next.harnesses;
    const added = [...after.keys()].filter((name) => !before.has(name));
    const removed = [...before.keys()].filter((name) => !after.has(name));
    const changed = [...after].flatMap(([name, definition]) => {
      const was = before.get(name);
      return was === undefined || isDeepStrictEqual(was, definition) ? [] : [name];
    });
    // Whoever listens there goes on until the daemon is started anew.
    const restartDaemon = isDeepStrictEqual(this.#now.server, next.server) ? [] : ["[server]"];
    this.#now = next;
    const started = (await this.#apply?.apply(next, new Set(added))) ?? [];
    const restartToApply = this.#apply?.restartToApply() ?? [];
    const reloaded: Reloaded = {
      harnesses: after.size,
      added,
      removed,
      changed,
      started,
      restartToApply,
      restartDaemon,
    };
    this.#log.info(`${why}: ${after.size} harnesses; ${inWords(reloaded)}`);
    return reloaded;
  }
}

const inWords = ({ added, removed, changed, restartToApply, restartDaemon }: Reloaded): string => {
  const parts = [
    ["added", added],
    ["removed", removed],
    ["changed", changed],
    ["restart to apply", restartToApply],
    ["restart the daemon to apply", restartDaemon],
  ] as const;
  const said = parts.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${names.join(", ")}`]));
  return said.length === 0 ? "nothing is different" : said.join("; ");
};
