import type { ProviderError } from "../record/types.ts";
import type { RunResult, RunSubtype } from "../result.ts";
import { keepAborted } from "./ask.ts";
import { runBatch } from "./batch.ts";
import { compact, isNearlyFull } from "./compact.ts";
import { respond } from "./respond.ts";
import { createTally, type Tally } from "./tally.ts";
import { type AgentWorld, keepMessage } from "./world.ts";

interface Ending {
  subtype: RunSubtype;
  error?: ProviderError;
}

const failed = (error: ProviderError): Ending => ({
  subtype: error.kind === "aborted" ? "aborted" : "error",
  error,
});

/** One response and the calls it asks for. Undefined when the model wants to go on. */
const takeTurn = async (
  world: AgentWorld,
  signal: AbortSignal,
  tally: Tally,
): Promise<Ending | undefined> => {
  const { turn } = world.recorder.next();
  world.emit({ type: "turn_start", turn });
  await world.extensions.tell("turn_start", { turn });
  const answer = await respond(world, signal, tally.add);
  const toolResults = answer.error === undefined ? await runBatch(world, answer.message, signal) : 0;
  let ending = answer.error === undefined ? undefined : failed(answer.error);
  if (toolResults > 0 && signal.aborted) {
    const aborted = await keepAborted(world, signal);
    ending = { subtype: "aborted", ...(aborted.error === undefined ? {} : { error: aborted.error }) };
  }
  world.emit({ type: "turn_end", turn, entryId: answer.entryId, toolResults });
  await world.extensions.tell("turn_end", { turn });
  if (ending !== undefined || toolResults > 0) return ending;
  return { subtype: answer.message.stopReason === "length" ? "length" : "success" };
};

const keepUserMessage = async (world: AgentWorld, text: string): Promise<void> => {
  world.emit({ type: "message_start", role: "user" });
  const timestamp = world.capabilities.clock.now();
  await keepMessage(world, { role: "user", content: [{ type: "text", text }], timestamp });
};

/** What the user said meanwhile: all that steers; what follows only when the work is done, one at a time. */
const heardMeanwhile = ({ queue }: AgentWorld, done: boolean): string[] => {
  const steering = queue.steering.splice(0);
  return steering.length > 0 || !done ? steering : queue.followUps.splice(0, 1);
};

const takeTurns = async (world: AgentWorld, signal: AbortSignal, tally: Tally): Promise<Ending> => {
  for (let turns = 0; turns < world.settings.maxTurns; turns += 1) {
    if (isNearlyFull(world)) await compact(world, signal, tally);
    const ending = await takeTurn(world, signal, tally);
    const done = ending !== undefined;
    if (done && ending.subtype !== "success") return ending;
    const heard = heardMeanwhile(world, done);
    if (done && heard.length === 0) return ending;
    for (const text of heard) await keepUserMessage(world, text);
  }
  const message = `the limit of ${world.settings.maxTurns} model turns was reached`;
  return { subtype: "max_turns", error: { kind: "unknown", message } };
};

const work = async (
  world: AgentWorld,
  prompt: string,
  signal: AbortSignal,
  tally: Tally,
): Promise<Ending> => {
  world.emit({ type: "agent_start" });
  await world.extensions.tell("agent_start", { prompt });
  await keepUserMessage(world, prompt);
  return takeTurns(world, signal, tally);
};

/** Keeps the result, if anything can still be kept, and tells of it. */
const conclude = async (world: AgentWorld, result: RunResult): Promise<void> => {
  await world.extensions.tell("agent_end", { result });
  world.emit({ type: "agent_end" });
  let entryId: string | undefined;
  try {
    entryId = (await world.log.append({ type: "result", ...result }, { sync: true })).id;
  } catch {
    // The result is then told without a place in the session.
  }
  world.emit({ type: "result", ...(entryId === undefined ? {} : { entryId }), ...result });
};

/** Works on one prompt until the model is done. Ends in a result whatever happens. */
export const runPrompt = async (
  world: AgentWorld,
  prompt: string,
  signal: AbortSignal,
): Promise<RunResult> => {
  const { clock } = world.capabilities;
  const startedAt = clock.monotonicNow();
  const tally = createTally();
  let ending: Ending;
  try {
    ending = await work(world, prompt, signal, tally);
  } catch (error) {
    // What cannot be kept ends the run: a session with a hole could not be gone on with.
    const message = error instanceof Error ? error.message : String(error);
    const kind = signal.aborted ? "aborted" : "unknown";
    ending = failed({ kind, message });
  }
  const result = tally.result(ending.subtype, clock.monotonicNow() - startedAt, ending.error);
  await conclude(world, result);
  return result;
};
