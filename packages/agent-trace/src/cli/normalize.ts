import { once } from "node:events";
import { agents } from "../agents/registry.ts";
import { createNormalizer, type Normalizer } from "../normalize.ts";
import type { ReadSink } from "../reader.ts";
import { rulesOption } from "./load.ts";
import { tell } from "./tell.ts";

/**
 * `agent-trace normalize`: a stream on stdin, records on stdout, each as soon as it is known. Lines that are no records
 * are counted and told on stderr at the end; they never stop it.
 */
export const normalize = async (options: { agent: string; rules?: string[] }): Promise<number> => {
  const agent = options.agent === "auto" ? "auto" : agents.find(({ name }) => name === options.agent)?.name;
  if (agent === undefined) {
    const names = agents.map(({ name }) => name).join(", ");
    tell(`unknown agent "${options.agent}"; there are ${names}, and auto`);
    return 2;
  }
  const output = createOutput();
  // A reader that went away (`| head`) ends the pipeline; that is no failure of ours.
  process.stdout.on("error", () => process.exit(0));
  // A stream that does not say where its agent works (Codex's does not) comes from an agent that works here.
  const place = { cwd: process.cwd(), ...homeOf(process.env) };
  const normalizer = createNormalizer({ agent, rules: rulesOption(options.rules), ...place });
  for await (const chunk of process.stdin) {
    if (chunk instanceof Uint8Array) normalizer.push(chunk, output.sink);
    await output.flush();
  }
  normalizer.end(output.sink);
  await output.flush();
  return report(normalizer, output.unread);
};

const homeOf = (env: NodeJS.ProcessEnv): { home?: string } =>
  env["HOME"] === undefined ? {} : { home: env["HOME"] };

const createOutput = () => {
  let pending = "";
  const output = {
    unread: 0,
    sink: {
      item: (item) => {
        pending += `${JSON.stringify(item)}\n`;
      },
      unread: () => {
        output.unread += 1;
      },
    } satisfies ReadSink,
    flush: async (): Promise<void> => {
      const text = pending;
      pending = "";
      if (text !== "" && !process.stdout.write(text)) await once(process.stdout, "drain");
    },
  };
  return output;
};

const report = (normalizer: Normalizer, unread: number): number => {
  if (normalizer.agent === undefined) {
    tell("no agent's stream was recognised; name it with --agent");
    return 1;
  }
  if (unread > 0) tell(`${unread} lines were no records`);
  return 0;
};
