import { Command } from "commander";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import type { ModelInfo } from "../model.ts";
import { listModels } from "../provider/catalog.ts";
import { onTerminal, parseInto } from "./verb.ts";

const lineOf = ({ provider, id, contextWindow, reasoning, prices }: ModelInfo): string => {
  const price = prices === undefined ? "price unknown" : `$${prices.input} in, $${prices.output} out`;
  return [`${provider}/${id}`, `${contextWindow} tokens`, reasoning ? "thinks" : "", price].join("\t");
};

/** `orphus models [SEARCH]`: what `--model` can name, with prices in US dollars per million tokens. */
export const runModels = async (
  args: readonly string[],
  { terminal }: HarnessCapabilities,
): Promise<number> => {
  const command = onTerminal(new Command("orphus models"), terminal)
    .description("Known models: context window, whether they think, US dollars per million tokens.")
    .argument("[search]", "only those whose name holds it")
    .option("--json", "as JSON");
  const exitCode = parseInto(command, args);
  if (exitCode !== undefined) return exitCode;
  const models = await listModels(command.args[0] ?? "");
  terminal.write(
    command.opts<{ json?: boolean }>().json === true
      ? `${JSON.stringify(models, null, 2)}\n`
      : models.map((model) => `${lineOf(model)}\n`).join(""),
  );
  return 0;
};
