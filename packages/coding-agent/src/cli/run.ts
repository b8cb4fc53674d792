import { resolve } from "node:path";
import type { SessionPlace } from "../agent/open-log.ts";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { runJson } from "../modes/json.ts";
import { runPrint } from "../modes/print.ts";
import { createLineWriter } from "../modes/lines.ts";
import { createApprovals, runRpc } from "../modes/rpc.ts";
import { withMaskedErrors } from "../record/mask.ts";
import { expandPrompt } from "../resources/prompts.ts";
import { boot } from "./boot.ts";
import { readPrompt } from "./input.ts";
import { runInspect } from "./inspect.ts";
import { runModels } from "./models.ts";
import { type CliOptions, parseArgs } from "./options.ts";
import { runReplay } from "./replay.ts";
import { runSessions } from "./sessions.ts";
import { runTrust } from "./trust.ts";
import { UNUSABLE } from "./verb.ts";

const sessionPlace = (options: CliOptions, { cwd, env }: HarnessCapabilities["process"]): SessionPlace => {
  if (options.noSession) return { kind: "memory" };
  if (options.session !== undefined) return { kind: "file", path: resolve(cwd, options.session) };
  const dir = options.sessionDir ?? env["ORPHUS_CODING_AGENT_SESSION_DIR"];
  const where = dir === undefined ? {} : { dir: resolve(cwd, dir) };
  if (options.fork !== undefined) return { kind: "fork", path: resolve(cwd, options.fork), ...where };
  return options.continue ? { kind: "last", ...where } : { kind: "new", ...where };
};

const complain = ({ terminal }: HarnessCapabilities, message: string): number => {
  terminal.writeError(`orphus: ${message}\n`);
  return UNUSABLE;
};

/** Everything that can be wrong is looked at before a session is begun. */
const runOnePrompt = async (options: CliOptions, capabilities: HarnessCapabilities): Promise<number> => {
  const said = await readPrompt(options.words, capabilities);
  if (said === "") return complain(capabilities, "there is no prompt: orphus -p PROMPT");
  const { session, resources } = await boot(options, capabilities, {
    session: sessionPlace(options, capabilities.process),
    needsModel: true,
  });
  try {
    const prompt = await expandPrompt(said, resources, capabilities.fs);
    return await (options.mode === "json" ? runJson : runPrint)(session, prompt);
  } finally {
    await session.dispose();
  }
};

const runManyPrompts = async (options: CliOptions, capabilities: HarnessCapabilities): Promise<number> => {
  const approvals = createApprovals(await createLineWriter(capabilities));
  const { session, resources } = await boot(options, capabilities, {
    session: sessionPlace(options, capabilities.process),
    approver: approvals.approver,
  });
  try {
    return await runRpc(session, resources, approvals);
  } finally {
    await session.dispose();
  }
};

const runAgent: Verb = async (args, capabilities) => {
  const parsed = parseArgs(args, capabilities.terminal);
  if ("exitCode" in parsed) return parsed.exitCode;
  const run = parsed.options.mode === "rpc" ? runManyPrompts : runOnePrompt;
  return run(parsed.options, capabilities);
};

type Verb = (args: readonly string[], capabilities: HarnessCapabilities) => Promise<number>;

/** What the first word can be; anything else belongs to the agent. */
const VERBS: Readonly<Record<string, Verb>> = {
  inspect: runInspect,
  models: runModels,
  replay: runReplay,
  sessions: runSessions,
  trust: runTrust,
};

/** The program: takes the command line, returns the exit code. */
export const runCli: Verb = async (args, world) => {
  const capabilities = withMaskedErrors(world);
  const [first = "", ...rest] = args;
  const verb = Object.hasOwn(VERBS, first) ? VERBS[first] : undefined;
  try {
    return await (verb === undefined ? runAgent(args, capabilities) : verb(rest, capabilities));
  } catch (error) {
    return complain(capabilities, error instanceof Error ? error.message : String(error));
  }
};
