import { bool, compile, obj, oneOf, opt, type Schema, str } from "@earendil-works/pi-schema";
import type { AgentSession } from "../agent/session.ts";
import { isObject, parseJson } from "../json.ts";
import type { ToolApprover } from "../pipeline/approve.ts";
import type { Resources } from "../resources/load.ts";
import { expandPrompt } from "../resources/prompts.ts";
import { THINKING_LEVELS } from "../resources/settings.ts";
import { createLineWriter, type LineWriter } from "./lines.ts";
import { type EndingSignal, SIGNAL_CODES } from "./outcome.ts";

/** What answers the commands of one session. */
interface Served {
  session: AgentSession;
  resources: Resources;
  approvals: Approvals;
}

type Handler = (served: Served, input: unknown) => Promise<unknown>;

/** A command with the shape of its fields; what it returns is the response's `data`. */
const command = <Input>(schema: Schema<Input>, run: (served: Served, input: Input) => unknown): Handler => {
  const validator = compile(schema);
  return async (served, input) => {
    const result = validator.validate(input);
    if (result.ok) return run(served, result.value);
    const [error] = result.errors;
    throw new Error(`${(error?.path ?? "").slice(1)} ${error?.message ?? "is not what is expected"}`.trim());
  };
};

const nothing = obj({}, { open: true });
const message = obj({ message: str({ minLength: 1 }) }, { open: true });

const stateOf = ({ session }: Served) => ({
  sessionId: session.header.id,
  ...(session.path === undefined ? {} : { sessionFile: session.path }),
  model: session.model,
  thinkingLevel: session.thinkingLevel,
  isRunning: session.isRunning,
  tools: session.tools.flatMap(({ tool, active }) => (active ? [tool.name] : [])),
});

const lastText = ({ session }: Served): string | null => {
  const last = session.messages.findLast(({ role }) => role === "assistant");
  return last === undefined
    ? null
    : last.content.map((block) => (block.type === "text" ? block.text : "")).join("");
};

const startPrompt = async (served: Served, text: string): Promise<void> => {
  const { session, resources } = served;
  if (session.isRunning) throw new Error("a prompt is being worked on; use steer, follow_up or abort");
  const prompt = await expandPrompt(text, resources, session.capabilities.fs);
  if (session.model === null) throw new Error("no model is chosen; use set_model");
  // Its course and its end are told as events; that nothing else was on has just been seen.
  session.prompt(prompt).catch(() => undefined);
};

const COMMANDS: Readonly<Record<string, Handler>> = {
  prompt: command(message, (served, { message: text }) => startPrompt(served, text)),
  steer: command(message, ({ session }, { message: text }) => session.steer(text)),
  follow_up: command(message, ({ session }, { message: text }) => session.followUp(text)),
  abort: command(nothing, ({ session }) => session.abort()),
  compact: command(nothing, async ({ session }) => ({ compacted: await session.compact() })),
  set_model: command(
    obj({ provider: str({ minLength: 1 }), modelId: str({ minLength: 1 }) }, { open: true }),
    async (served, { provider, modelId }) => {
      await served.session.setModel({ model: { provider, model: modelId } });
      return served.session.model;
    },
  ),
  set_thinking_level: command(
    obj({ level: oneOf(THINKING_LEVELS) }, { open: true }),
    ({ session }, { level }) => session.setModel({ thinkingLevel: level }),
  ),
  get_state: command(nothing, stateOf),
  get_messages: command(nothing, ({ session }) => ({ messages: session.messages })),
  get_entries: command(nothing, ({ session }) => ({ entries: session.entries })),
  get_last_assistant_text: command(nothing, (served) => ({ text: lastText(served) })),
  get_commands: command(nothing, ({ resources }) => ({
    templates: resources.templates.map(({ name, description }) => ({ name, description })),
    skills: resources.skills.map(({ name, description }) => ({ name: `skill:${name}`, description })),
  })),
  approval_response: command(
    obj({ approvalId: str(), approved: bool(), reason: opt(str()) }, { open: true }),
    ({ approvals }, { approvalId, approved, reason }) =>
      approvals.answer(approvalId, { approved, ...(reason === undefined ? {} : { reason }) }),
  ),
};

/** Approvals that wait for the other side. */
export interface Approvals {
  approver: ToolApprover;
  answer(id: string, decision: { approved: boolean; reason?: string }): void;
  /** Nobody is there to answer any more. */
  close(): void;
}

/** Asks the other side about tool calls, with the very arguments that will run. */
export const createApprovals = (line: LineWriter): Approvals => {
  const waiting = new Map<string, (decision: { approved: boolean; reason?: string }) => void>();
  let closed = false;
  return {
    approver({ toolCallId, toolName, arguments: args }, reason) {
      if (closed) return Promise.resolve({ approved: false, reason: "nobody can be asked any more" });
      line({
        type: "approval_request",
        approvalId: toolCallId,
        toolCallId,
        toolName,
        arguments: args,
        ...(reason === undefined ? {} : { reason }),
      });
      return new Promise((resolve) => waiting.set(toolCallId, resolve));
    },
    answer(id, decision) {
      const resolve = waiting.get(id);
      if (resolve === undefined) throw new Error(`no approval ${id} is waiting`);
      waiting.delete(id);
      resolve(decision);
    },
    close() {
      closed = true;
      for (const resolve of waiting.values())
        resolve({ approved: false, reason: "nobody can be asked any more" });
      waiting.clear();
    },
  };
};

const answerTo = async (served: Served, text: string): Promise<object> => {
  const parsed = parseJson(text);
  if (!isObject(parsed) || typeof parsed["type"] !== "string")
    return { type: "response", command: null, success: false, error: "not a JSON object with a type" };
  const { type, id } = parsed;
  const head = { type: "response", command: type, ...(typeof id === "string" ? { id } : {}) };
  const handler = Object.hasOwn(COMMANDS, type) ? COMMANDS[type] : undefined;
  try {
    if (handler === undefined)
      throw new Error(`no such command; there are: ${Object.keys(COMMANDS).join(", ")}`);
    const data = await handler(served, parsed);
    return { ...head, success: true, ...(data === undefined ? {} : { data }) };
  } catch (error) {
    return { ...head, success: false, error: error instanceof Error ? error.message : String(error) };
  }
};

/**
 * `--mode rpc`: commands as JSON lines on the input, responses and events as JSON lines on the output, after the
 * session's header. Ends when the input ends, or on a signal; what runs then is aborted.
 */
export const runRpc = async (
  session: AgentSession,
  resources: Resources,
  approvals: Approvals,
): Promise<number> => {
  const { terminal, process } = session.capabilities;
  const line = await createLineWriter(session.capabilities);
  const served: Served = { session, resources, approvals };
  const ended = Promise.withResolvers<EndingSignal | undefined>();
  line(session.header);
  let rest = "";
  const stop = [
    session.subscribe(line),
    terminal.onData((data) => {
      const lines = (rest + data).split("\n");
      rest = lines.pop() ?? "";
      // Not one after the other: an abort must not wait for what it aborts. No answer fails; what is wrong it tells.
      for (const text of lines)
        if (text.trim() !== "")
          answerTo(served, text)
            .then(line)
            .catch(() => undefined);
    }),
    terminal.onEnd(() => ended.resolve(undefined)),
    process.onSignal("SIGINT", () => ended.resolve("SIGINT")),
    process.onSignal("SIGTERM", () => ended.resolve("SIGTERM")),
  ];
  const signal = await ended.promise;
  approvals.close();
  session.abort(signal === undefined ? "the other side is gone" : `interrupted by ${signal}`);
  await session.idle();
  for (const one of stop) one();
  return signal === undefined ? 0 : SIGNAL_CODES[signal];
};
