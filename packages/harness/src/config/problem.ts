import { HarnessError } from "../base/errors.ts";
import type { Locate } from "./position.ts";

/** Keys from the top of the document down to the place in question. */
export type TomlPath = readonly (string | number)[];

/** One thing wrong with a configuration file. All of a file's problems are reported together. */
export interface Problem {
  path: TomlPath;
  /** Whether the name of a key is wrong or its value; a missing key is placed at its table. */
  at: "key" | "value";
  /** What is wrong and what is allowed, without place and key. */
  message: string;
  /** A whole text that stands for itself: the refusal of what cannot be supervised. */
  refusal?: string;
}

/** `[harness.<name>]` and the like are tables of tables. */
const tableDepth = (path: TomlPath): number => (path[0] === "harness" || path[0] === "webhook" ? 2 : 1);

/** `[harness.nightly]`, or nothing for the top of the file. */
const tableOf = (path: TomlPath): string => {
  const depth = tableDepth(path);
  const table = path.slice(0, depth).filter((part) => typeof part === "string");
  return table.length === 0 ? "" : `[${table.map(tomlKey).join(".")}]`;
};

const keyOf = (path: TomlPath): string => {
  const rest = path.slice(tableDepth(path));
  return rest
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${tomlKey(part)}`))
    .join("")
    .replace(/^\./, "");
};

/** A key as TOML writes it: bare where it can be. */
const tomlKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));

const line = (file: string, problem: Problem, locate: Locate): string => {
  const place = locate(problem.path, problem.at);
  const at = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  if (problem.refusal !== undefined) return `${file}: ${problem.refusal}`;
  const subject = [tableOf(problem.path), keyOf(problem.path)].filter((part) => part !== "").join(" ");
  return subject === "" ? `${at}: ${problem.message}` : `${at}: ${subject}: ${problem.message}`;
};

/** The error that an operator reads: a line a problem, in the order of the file. */
export const configError = (file: string, problems: readonly Problem[], locate: Locate): HarnessError => {
  const placed = problems
    .map((problem) => ({ problem, place: locate(problem.path, problem.at) }))
    .sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0));
  const refusals = placed.filter(({ problem }) => problem.refusal !== undefined);
  const places = refusals.map(({ place }) => (place ? `${file}:${place.line}:${place.column}` : file));
  const where =
    places.length > 0 ? `change or remove what stands at ${places.join(", ")}` : "correct the file";
  return new HarnessError(
    "config_invalid",
    placed.map(({ problem }) => line(file, problem, locate)).join("\n"),
    { hint: `${where}, then start again` },
  );
};
