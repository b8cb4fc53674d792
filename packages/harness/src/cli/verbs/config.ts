import { configSchema } from "../../config/json-schema.ts";
import { loadConfig } from "../../config/load.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../output.ts";
import { styled } from "../style.ts";

/** Loads the configuration as the daemon would, and says what is in it. Fails with everything that is wrong with it. */
export const configCheck = async (context: Context): Promise<number> => {
  const { file, harnesses, webhooks } = await loadConfig({
    ...context.config,
    home: context.home,
    cwd: context.cwd,
  });
  const names = [...harnesses.keys()];
  if (context.json) {
    writeJson(context.out, { file, harnesses: names, webhooks: [...webhooks.keys()] });
    return 0;
  }
  const counted = (count: number, noun: string, plural: string): string =>
    `${count} ${count === 1 ? noun : plural}`;
  const what = [
    counted(names.length, "harness", "harnesses"),
    ...(webhooks.size === 0 ? [] : [counted(webhooks.size, "webhook", "webhooks")]),
  ].join(", ");
  const where = file ?? `no file at ${context.config.file}`;
  context.out.write(`${styled(context.out, "good", "✓")} ${where}: ${what}\n`);
  return 0;
};

/** Prints the JSON Schema of the configuration, for editors. */
export const printSchema = (context: Context): number => {
  writeJson(context.out, configSchema());
  return 0;
};
