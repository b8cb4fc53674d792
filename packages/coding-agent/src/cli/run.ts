import { resolve } from "node:path";
import { type AgentSessionOptions, createAgentSession } from "../agent/create.ts";
import type { AgentSession } from "../agent/session.ts";
import type { SessionPlace } from "../agent/open-log.ts";
import type { HarnessCapabilities } from "../capabilities/types.ts";
import { runJson } from "../modes/json.ts";
import { runPrint } from "../modes/print.ts";
import { createScriptedProvider } from "../provider/scripted/provider.ts";
import { parseScript, ScriptError } from "../provider/scripted/script.ts";
import { withMaskedErrors } from "../record/mask.ts";
import { type CliOptions, parseArgs } from "./options.ts";
import { runSessions } from "./sessions.ts";
import { UNUSABLE } from "./verb.ts";

const sessionPlace = (options: CliOptions, { cwd, env }: HarnessCapabilities["process"]): SessionPlace => {
  if (options.noSession) return { kind: "memory" };
  if (options.session !== undefined) return { kind: "file", path: resolve(cwd, options.session) };
  const dir = options.sessionDir ?? env["ORPHUS_CODING_AGENT_SESSION_DIR"];
  const where = dir === undefined ? {} : { dir: resolve(cwd, dir) };
  return options.continue ? { kind: "last", ...where } : { kind: "new", ...where };
};

const readScript = async (path: string, { fs, process }: HarnessCapabilities) => {
  const file = resolve(process.cwd, path);
  let text: string;
  try {
    text = await fs.readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ScriptError(`${path}: the script cannot be read: ${reason}`);
  }
  return parseScript(text, path);
};

/** The scripted model differs from any other in its transport alone. */
const chooseModel = async (
  { provider, model, script }: CliOptions,
  capabilities: HarnessCapabilities,
): Promise<Pick<AgentSessionOptions, "model" | "transport">> => {
  if (script === undefined) return { model: { provider: provider ?? "", model: model ?? "" } };
  const file = await readScript(script, capabilities);
  const { clock, process } = capabilities;
  const described = model === undefined ? file.model : { ...file.model, id: model };
  const scripted = createScriptedProvider(file.turns, { clock, random: process.randomBytes }, described);
  return { model: scripted, transport: scripted.transport };
};

const openSession = async (options: CliOptions, capabilities: HarnessCapabilities): Promise<AgentSession> => {
  const { session } = await createAgentSession({
    capabilities,
    ...(await chooseModel(options, capabilities)),
    session: sessionPlace(options, capabilities.process),
    thinkingLevel: options.thinking,
    ...(options.tools === undefined ? {} : { tools: options.tools }),
  });
  return session;
};

const runPrompt = async (args: readonly string[], capabilities: HarnessCapabilities): Promise<number> => {
  const parsed = parseArgs(args, capabilities.terminal);
  if ("exitCode" in parsed) return parsed.exitCode;
  const { options } = parsed;
  let session: AgentSession;
  try {
    session = await openSession(options, capabilities);
  } catch (error) {
    capabilities.terminal.writeError(`orphus: ${error instanceof Error ? error.message : String(error)}\n`);
    return UNUSABLE;
  }
  try {
    return await (options.mode === "json" ? runJson : runPrint)(session, options.prompt);
  } finally {
    await session.dispose();
  }
};

type Verb = (args: readonly string[], capabilities: HarnessCapabilities) => Promise<number>;

/** What the first word can be; anything else belongs to the prompt. */
const VERBS: Readonly<Record<string, Verb>> = { sessions: runSessions };

/** The program: takes the command line, returns the exit code. */
export const runCli: Verb = async (args, world) => {
  const capabilities = withMaskedErrors(world);
  const [first = "", ...rest] = args;
  const verb = Object.hasOwn(VERBS, first) ? VERBS[first] : undefined;
  if (verb === undefined) return runPrompt(args, capabilities);
  try {
    return await verb(rest, capabilities);
  } catch (error) {
    capabilities.terminal.writeError(`orphus: ${error instanceof Error ? error.message : String(error)}\n`);
    return UNUSABLE;
  }
};
