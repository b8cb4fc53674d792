import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { KeeperConnection } from "./keeper-connection.ts";
import { generationIn, keeperGeneration, keeperSocket, startKeeper } from "./keeper-program.ts";

export interface KeepersOptions {
  stateDir: string;
  /** This daemon's number; a keeper obeys the highest it has seen. */
  epoch: number;
}

/** A line to a keeper, with the name under which the ledger knows it. */
export interface Keeper {
  generation: string;
  connection: KeeperConnection;
}

/** The keepers of one state folder: the one that takes new runs, and older ones that still hold some. */
export class Keepers {
  readonly #options: KeepersOptions;
  readonly #generation = keeperGeneration();
  readonly #connected = new Map<string, Keeper>();
  #current: Promise<Keeper> | undefined;

  constructor(options: KeepersOptions) {
    this.#options = options;
  }

  /** The keeper of this build; started when it is not there. Fails with `keeper_failed`. */
  current(): Promise<Keeper> {
    if (this.#current !== undefined) return this.#current;
    const current = this.#connectOrStart();
    this.#current = current;
    const letGo = (): void => {
      if (this.#current === current) this.#current = undefined;
    };
    current.then(({ connection }) => connection.closed).then(letGo, letGo);
    return current;
  }

  /** Every keeper that listens in the state folder, connected; for adoption at boot. Starts none. */
  async existing(warn: (message: string) => void): Promise<Keeper[]> {
    const found: Keeper[] = [];
    for (const file of readdirSync(this.#options.stateDir).sort()) {
      const generation = generationIn(file);
      if (generation === undefined) continue;
      try {
        found.push(await this.#connect(generation));
      } catch (error) {
        if (isNobodyThere(error)) rmSync(join(this.#options.stateDir, file), { force: true });
        else warn(`the keeper ${generation} cannot be used: ${String(error)}`);
      }
    }
    return found;
  }

  /** Hangs up; a keeper without runs is told to end, one with runs goes on. */
  async close(): Promise<void> {
    for (const { connection } of this.#connected.values()) {
      await connection.quit().catch(() => false);
      connection.close();
    }
    this.#connected.clear();
  }

  async #connectOrStart(): Promise<Keeper> {
    try {
      return await this.#connect(this.#generation);
    } catch (error) {
      if (!isNobodyThere(error)) throw error;
    }
    const socket = keeperSocket(this.#options.stateDir, this.#generation);
    // What a keeper that was killed leaves; this daemon holds the state folder's lock, so nobody is about to listen.
    rmSync(socket, { force: true });
    await startKeeper(socket);
    return this.#connect(this.#generation);
  }

  async #connect(generation: string): Promise<Keeper> {
    const known = this.#connected.get(generation);
    if (known?.connection.open === true) return known;
    const path = keeperSocket(this.#options.stateDir, generation);
    const keeper = { generation, connection: await KeeperConnection.open(path, this.#options.epoch) };
    this.#connected.set(generation, keeper);
    return keeper;
  }
}

/** A keeper that is just ending may still take the connection and then hang up: `keeper_failed`. */
const isNobodyThere = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "keeper_failed");
