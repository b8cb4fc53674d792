import type { Argument, Command } from "commander";
import { agentKinds } from "../../kinds/registry.ts";
import { connect } from "../../client/index.ts";
import type { Context } from "../context.ts";
import { complete } from "./complete.ts";
import { scripts, type Shell } from "./scripts.ts";

export const completion = (context: Context, shell: Shell): number => {
  context.out.write(scripts[shell]);
  return 0;
};

/** Prints what the last word can become; never fails, for nobody could read why. */
export const answerCompletion = async (
  context: Context,
  program: Command,
  words: readonly string[],
): Promise<number> => {
  let asked = false;
  let names: readonly string[] = [];
  const values = (argument: Argument): readonly string[] | undefined => {
    if (argument.name() === "kind") return agentKinds.map(({ name }) => name);
    if (argument.name() !== "name") return argument.name() === "prompt" ? [] : undefined;
    asked = true;
    return names;
  };
  let found = complete(program, words, values);
  // The daemon or the file is asked only where names are.
  if (asked) {
    names = await harnessNames(context);
    found = complete(program, words, values);
  }
  for (const { value, description } of found.candidates) context.out.write(`${value}\t${description}\n`);
  if (found.files) context.out.write(":files\n");
  return 0;
};

/** As the daemon knows them; without one, as the file says. */
const harnessNames = async (context: Context): Promise<string[]> => {
  try {
    const client = await connect({ socket: context.paths.socket, name: "harness" });
    try {
      return (await client.call("list", {})).map(({ name }) => name);
    } finally {
      client.close();
    }
  } catch {
    return namesInFile(context);
  }
};

const namesInFile = async (context: Context): Promise<string[]> => {
  const { loadConfig } = await import("../../config/load.ts");
  try {
    const { harnesses } = await loadConfig({ ...context.config, home: context.home, cwd: context.cwd });
    return [...harnesses.keys()];
  } catch {
    return [];
  }
};
