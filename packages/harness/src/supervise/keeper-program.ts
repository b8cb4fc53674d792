import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import { KEEPER_PROTOCOL } from "../protocol/keeper.ts";

/** From source or built, the keeper lies beside us and has our ending. */
const program = { root: join(import.meta.dirname, ".."), ending: extname(import.meta.filename) };
/** The keeper's program, which takes the path of its socket. */
export const keeperEntry = join(program.root, "keeper", `main${program.ending}`);

/** The longest a socket's path may be, by the kernel's `sun_path`. */
const SOCKET_PATH_BYTES = 107;

/**
 * Which keepers are ours: the protocol, and a digest of the program itself. A daemon of another build starts its own, and
 * the older one ends with its last run.
 */
export const keeperGeneration = (): string => {
  const digest = createHash("sha256");
  const files = ["keeper", "protocol"].flatMap((room) =>
    globSync(`${room}/${room === "keeper" ? "*" : "keeper*"}${program.ending}`, { cwd: program.root }),
  );
  const published = files.filter((file) => !/\.(?:test|d)\.ts$/.test(file)).sort();
  for (const file of published) digest.update(file).update(readFileSync(join(program.root, file)));
  return `${KEEPER_PROTOCOL}-${digest.digest("hex").slice(0, 8)}`;
};

/** All keepers of a state folder: `keeper-<generation>.sock`. */
export const keeperSocket = (stateDir: string, generation: string): string => {
  const path = join(stateDir, `keeper-${generation}.sock`);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES) return path;
  throw new HarnessError("keeper_failed", `The path of the keeper's socket is too long: ${path}`, {
    hint: `choose a state folder with a shorter path (HARNESS_STATE_DIR); ${SOCKET_PATH_BYTES} bytes is the most`,
  });
};

/** The generation in a socket's file name; undefined for any other file. */
export const generationIn = (file: string): string | undefined =>
  /^keeper-(\d+-[0-9a-f]{8})\.sock$/.exec(file)?.[1];

/**
 * Starts a keeper on a socket and resolves once it listens. It has no environment, no terminal and no folder of ours, and
 * goes on when we are gone.
 */
export const startKeeper = async (socket: string): Promise<void> => {
  const keeper = spawn(process.execPath, [keeperEntry, socket], {
    env: {},
    cwd: "/",
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  keeper.unref();
  try {
    await ready(keeper);
  } finally {
    keeper.stdout.destroy();
    keeper.stderr.destroy();
  }
};

const ready = (keeper: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (what: string): void =>
      reject(
        new HarnessError("keeper_failed", `The keeper, which holds the runs, did not start: ${what}`, {
          hint: "nothing was started; see whether this Node and the state folder are usable",
        }),
      );
    const said: string[] = [];
    keeper.once("error", (error) => fail(error.message));
    keeper.once("close", (code, signal) =>
      fail(said.join("").trim() || `it ended with ${signal ?? `exit ${code}`}`),
    );
    keeper.stderr?.setEncoding("utf8").on("data", (text: string) => said.push(text));
    keeper.stdout?.once("data", () => resolve());
  });
