import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { agentKinds } from "../../kinds/registry.ts";
import { firstConfig } from "../first-config.ts";
import type { Context } from "../context.ts";
import { programOn } from "../program-on.ts";
import { writeJson } from "../output.ts";
import { styled } from "../style.ts";

/** Writes a commented first configuration from the agents that this machine has; never over one that is there. */
export const init = (context: Context, { print = false }: { print?: boolean }): number => {
  const found = agentKinds.filter(({ program }) => programOn(context.env["PATH"], program) !== undefined);
  const text = firstConfig(found.map(({ name }) => name));
  if (print) {
    context.out.write(text);
    return 0;
  }
  const file = resolve(context.cwd, context.config.file);
  write(file, text);
  if (context.json) writeJson(context.out, { file, agents: found.map(({ name }) => name) });
  else {
    const agents =
      found.length === 0 ? "no agent is on PATH" : `for ${found.map(({ name }) => name).join(", ")}`;
    context.out.write(`${styled(context.out, "good", "✓")} ${file} (${agents})\n`);
    context.out.write("edit it, then: harness config check, harness daemon --detach\n");
  }
  return 0;
};

const write = (file: string, text: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fd = openSync(file, "wx", 0o600);
    writeSync(fd, text);
    closeSync(fd);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new HarnessError("bad_request", `${file} is there already; nothing was changed.`, {
        hint: "see what would be written with: harness init --print",
      });
    }
    throw new HarnessError("config_unreadable", `${file} cannot be written: ${String(error)}`, {
      hint: "name another with --config",
      cause: error,
    });
  }
};
